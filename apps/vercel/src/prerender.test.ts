import { expect, test } from "vitest";
import {
  allowedHeaders,
  allowedQuery,
  compilePrerender,
  divideAnswer,
  goodFor,
  isBypassed,
} from "./prerender.ts";

const page = compilePrerender(
  "page.prerender-config.json",
  {
    expiration: 5,
    allowQuery: ["b", "a"],
    allowHeader: ["host"],
    bypassToken: "t",
    experimentalBypassFor: [{ type: "header", key: "next-action" }],
  },
  null,
);

test("an answer is kept by the part of the query that it depends on", () => {
  expect(allowedQuery(page, "x=1&b=2&a=1")).toBe("a=1&b=2");
  const all = compilePrerender("all", {}, null);
  expect(allowedQuery(all, "x=1&a=1")).toBe("a=1&x=1");
});

test("who brings the token, or what the build names, is answered by the function itself", () => {
  const bypassed = (headers: Record<string, string>) => isBypassed(page, { query: "", headers });
  expect(bypassed({})).toBe(false);
  expect(bypassed({ cookie: "__prerender_bypass=other" })).toBe(false);
  expect(bypassed({ cookie: "__prerender_bypass=t" })).toBe(true);
  expect(bypassed({ "next-action": "1" })).toBe(true);
});

test("a condition that is not known is named", () => {
  const { lacks } = compilePrerender("p", { experimentalBypassFor: [{ type: "moon" }] }, null);
  expect(lacks).toBe("a condition on a moon (experimentalBypassFor of p)");
});

test("a function that renders for all sees the headers that the build allows", () => {
  expect(allowedHeaders(page, { host: "h", cookie: "c=1" })).toEqual({ host: "h" });
});

test.each([
  [200, "s-maxage=60, stale-while-revalidate", 60_000],
  [200, "", 5000],
  [404, "", 5000],
  [500, "s-maxage=60", 0],
  [200, "private, no-store", 0],
])("an answer with status %i and cache-control %o is good for %i ms", (status, cacheControl, ms) => {
  expect(goodFor(page, status, cacheControl)).toBe(ms);
});

test("a page in parts begins with the state that its rest is rendered from", () => {
  const type = 'application/x-nextjs-pre-render; state-length=3; origin="text/html; charset=utf-8"';
  const divided = divideAnswer(type, Buffer.from("abc<p>"));
  expect(divided.state?.toString()).toBe("abc");
  expect(divided.body.toString()).toBe("<p>");
  expect(divided.contentType).toBe("text/html; charset=utf-8");
  expect(divideAnswer("text/html", Buffer.from("<p>")).state).toBeNull();
});
