import type { ServerResponse } from "node:http";
import { type CaseManifest, renderMarker } from "@evenbench/core";
import { describe, expect, test } from "vitest";
import { BODY, greet, html, target } from "../../test/preflight/targets.ts";
import { preflight } from "./preflight.ts";

describe("a framework's page", () => {
  const page: CaseManifest = { ...greet, golden: null, page: { streams: null } };
  let renderings = 0;
  const marked = (renderId = String(renderings++).padStart(16, "0")) =>
    `<p hidden>${renderMarker({ instanceId: "0123456789abcdef", served: renderings, inFlight: 0, renderId })}</p>${BODY}`;
  const fresh = (response: ServerResponse): void => void html(response).end(marked());
  const pages = async (odd: (response: ServerResponse) => void, one: CaseManifest = page, sound = fresh) =>
    preflight({
      targets: [await target("node", { answer: sound }), await target("odd", { answer: odd })],
      cases: [one],
    });

  test("passes when it is rendered anew each time, and the probe is told that it says who rendered it", async () => {
    const result = await pages(fresh);
    expect(result.problems).toEqual([]);
    expect(result.expectations.greet?.odd).toMatchObject({ isPage: true });
  });

  test("that comes twice from one rendering is refused, and so is one that does not say so", async () => {
    const kept = marked();
    const result = await pages((response) => html(response).end(kept));
    expect(result.problems).toMatchObject([
      {
        kind: "render",
        values: { node: "rendered anew for each request", odd: expect.stringContaining("came twice") },
      },
    ]);
    expect(result.problems[0]?.remedy).toContain("force-dynamic");
    const silent = (response: ServerResponse) => html(response).end(BODY);
    const other = await pages(silent, page, silent);
    expect(other.problems).toMatchObject([
      { kind: "render", values: { odd: "no render marker in the body" } },
    ]);
  });

  test("that may be cached here and not there is refused with both headers", async () => {
    const cached = (response: ServerResponse) => {
      response.setHeader("cache-control", "s-maxage=60").setHeader("etag", String(Math.random()));
      fresh(response);
    };
    const result = await pages(cached);
    expect(result.problems).toMatchObject([
      {
        kind: "cache",
        values: { node: "no header for caches", odd: "cache-control: s-maxage=60; with etag" },
      },
    ]);
    expect((await pages(cached, page, cached)).problems).toEqual([]);
  });

  test("that comes in parts here and at once there is refused, whichever it should be", async () => {
    // The halves are as far apart as the whole is long: no busy machine turns one into the other.
    const inParts = (response: ServerResponse) => {
      const body = marked();
      html(response).write(body.slice(0, 300));
      setTimeout(() => response.end(body.slice(300)), 80);
    };
    const atOnce = (response: ServerResponse) => void setTimeout(() => fresh(response), 80);
    const streaming = { ...page, page: { streams: true } };
    const whole = { ...page, page: { streams: false } };
    expect((await pages(atOnce, streaming, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "in parts", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(atOnce, whole, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "at once", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(inParts, streaming, inParts)).problems).toEqual([]);
    // Parts of the first responses were held up.
    let asked = 0;
    const later = (response: ServerResponse) => (asked++ < 3 ? atOnce(response) : inParts(response));
    expect((await pages(later, streaming, inParts)).problems).toEqual([]);
    expect(asked).toBe(4);
    expect((await pages(atOnce, whole, atOnce)).problems).toEqual([]);
  });

  test("whose framework varies its body is compared in the normal form, and the difference is told with sizes", async () => {
    const variation = {
      reason: "Pieces come as they are ready.",
      normalForm: "react-stream",
      lengthWithin: 0.5,
    } as const;
    const script = '<script>self.__next_f.push([1,"1:[\\"a\\"]\\n"])</script>';
    const cut =
      '<script>self.__next_f.push([1,"1:[\\"a"])</script><script>self.__next_f.push([1,"\\"]\\n"])</script>';
    const sending = (flight: string) => (response: ServerResponse) => html(response).end(marked() + flight);
    const result = await pages(sending(cut), { ...page, variation }, sending(script));
    expect(result.problems).toEqual([]);
    expect(result.differences).toEqual([
      expect.stringMatching(/^Bodies of greet differ: Pieces come .* Bytes: node \d+, odd \d+\.$/),
    ]);
    const other = await pages(sending(cut.replace("a", "b")), { ...page, variation }, sending(script));
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });
});
