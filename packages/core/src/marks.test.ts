import { describe, expect, test } from "vitest";
import {
  findRenderMarker,
  formatInstanceHeader,
  parseCpuHeader,
  parseInstanceHeader,
  type RenderAccount,
  renderMarker,
} from "./marks.ts";
import { maskBody, volatile } from "./mask.ts";

const account: RenderAccount = {
  instanceId: "0123456789abcdef",
  served: 12,
  inFlight: 3,
  renderId: "fedcba9876543210",
};

test("an instance's header says what was written, and nothing malformed is read", () => {
  const { renderId: _, ...instance } = account;
  expect(parseInstanceHeader(formatInstanceHeader(instance))).toEqual(instance);
  const wrong = [
    "0123456789abcdef",
    "0123456789abcdeg; served=1; in-flight=0",
    "0123456789abcdef; served=-1; in-flight=0",
  ];
  for (const value of [null, undefined, "", ...wrong]) {
    expect(parseInstanceHeader(value)).toBeNull();
  }
});

test("the header of an account is read as it is written, and nothing else is", () => {
  const name = "2026-11-21/math/deployed-vercel~copy/2/measure/7";
  expect(parseCpuHeader(`${name}=12.345`)).toEqual({ requestId: name, cpuMs: 12.345, wallMs: null });
  for (const wrong of [null, "", "x", "x=", "=1", "x=-1", "x=1e9", `${"x".repeat(301)}=1`, "a=b=1"]) {
    expect(parseCpuHeader(wrong)).toBeNull();
  }
});

test("the first marker is found in a page, and none where there is none whole", () => {
  const page = `<!doctype html><p hidden>${renderMarker(account)}</p><p>${renderMarker({ ...account, served: 99 })}</p>`;
  expect(findRenderMarker(page)).toEqual(account);
  for (const text of [
    "",
    "<p>no marker</p>",
    "[eb[instance nobody]eb]",
    renderMarker(account).slice(0, 40),
  ]) {
    expect(findRenderMarker(text)).toBeNull();
  }
});

test("markers are of one length and are masked, so that pages stay comparable", () => {
  const other = renderMarker({ ...account, served: 4_000_000_000, inFlight: 0, renderId: "0".repeat(16) });
  expect(other).toHaveLength(renderMarker(account).length);
  expect(maskBody(other)).toBe(maskBody(renderMarker(account)));
});

test("bodies that differ in volatile text alone are equal once masked, and others are not", () => {
  const page = (now: string, text = "same") => `<p>${volatile(now)}</p><p>${text}</p>${volatile("a\nb")}`;
  expect(maskBody(page("2026-01-01"))).toBe(maskBody(page("2027-12-31")));
  expect(maskBody(page("2026-01-01"))).not.toBe(maskBody(page("2026-01-01", "another")));
});

test("a case's own masks replace every match", () => {
  const masks = [{ name: "build id", pattern: "/_build/[a-z0-9]+/", replacement: "/_build/ID/" }];
  expect(maskBody("/_build/abc1/ /_build/x/", { masks, variation: null })).toBe("/_build/ID/ /_build/ID/");
});

describe("two frameworks' answers for one page", () => {
  const rules = {
    masks: [],
    variation: { reason: "", normalForm: "react-document", lengthWithin: 1 },
  } as const;
  const ofOne =
    '<html><head><meta charSet="utf-8"/><link rel="preload" href="/a.js"/><title>T</title></head><body><div hidden=""><!--$--><!--/$--></div><p>One<!-- --> two</p><script>self.__next_f.push([1,"1:x"])</script></body></html>';
  const ofAnother = (words: string) =>
    `<html><head><title>T</title><meta charSet="utf-8"/></head><body><!--$?--><template id="B:0"></template><!--/$--><script type="module" src="/b.js"></script><div hidden id="S:0"><p>${words}</p></div><script>$RC("B:0","S:0")</script></body></html>`;

  test("are equal where a visitor sees the same, whatever scripts, links and comments each adds", () => {
    expect(maskBody(ofAnother("One two"), rules)).toBe(maskBody(ofOne, rules));
  });

  test("differ by one word, and by data that the page itself has in a script", () => {
    expect(maskBody(ofAnother("One three"), rules)).not.toBe(maskBody(ofOne, rules));
    const data = (text: string) => `<script type="application/ld+json">{"name":"${text}"}</script>`;
    expect(maskBody(data("a"), rules)).not.toBe(maskBody(data("b"), rules));
  });
});

test("flight data of a page is the same whatever the request's id is, by which its metadata and viewport have keys", () => {
  const variation = { reason: "", normalForm: "react-stream", lengthWithin: 0.1 } as const;
  const page = (...texts: readonly string[]): string => {
    const row = texts.map((text) => JSON.stringify(text)).join(",");
    const pushed = `<p></p><script>self.__next_f.push([1,${JSON.stringify(row)}])</script>`;
    return maskBody(pushed, { masks: [], variation });
  };
  const keysOf = (id: string) => ["a", "m", "z", `${id}v`, `${id}m`];
  const [first, ...others] = [
    "A1R0kNIfm_6B-_k2w80mA",
    "m5w8wRNIfm_6B-_k2w80m",
    "zz0e8400-e29b-41d4-a716-446655440000",
  ].map((id) => page(...keysOf(id)));
  expect(others).toEqual([first, first]);
  // Of one letter alone it may be anybody's text.
  expect(page("A1R0kNIfm_6B-_k2w80mAv")).not.toBe(page("B1R0kNIfm_6B-_k2w80mAv"));
});
