import { expect, test } from "vitest";
import { findRenderMarker, type RenderAccount, renderMarker } from "./marks.ts";
import { maskBody } from "./mask.ts";

const account: RenderAccount = {
  instanceId: "0123456789abcdef",
  served: 12,
  inFlight: 3,
  renderId: "fedcba9876543210",
};

test("a marker is found in a page, and says what was put into it", () => {
  const page = `<!doctype html><p hidden>${renderMarker(account)}</p><p>${renderMarker({ ...account, served: 99 })}</p>`;
  expect(findRenderMarker(page)).toEqual(account);
});

test("markers are of one length and are masked, so that pages stay comparable", () => {
  const other = renderMarker({ ...account, served: 4_000_000_000, inFlight: 0, renderId: "0".repeat(16) });
  expect(other).toHaveLength(renderMarker(account).length);
  expect(maskBody(other)).toBe(maskBody(renderMarker(account)));
});

test.each(["", "<p>no marker</p>", "[eb[instance nobody]eb]", renderMarker(account).slice(0, 40)])(
  "there is none in %j",
  (text) => {
    expect(findRenderMarker(text)).toBeNull();
  },
);
