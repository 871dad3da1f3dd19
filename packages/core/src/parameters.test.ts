import { expect, test } from "vitest";
import { parseParameters } from "./parameters.ts";

const declarations = {
  bytes: { type: "integer", default: 10, minimum: 0, maximum: 100, description: "" },
  how: { type: "choice", default: "concat", choices: ["concat", "sum"], description: "" },
} as const;

const parse = (query: string) => parseParameters(declarations, new URLSearchParams(query));

test("parameters that are absent have their defaults, and values at the bounds are taken", () => {
  expect(parse("")).toEqual({ ok: true, values: { bytes: 10, how: "concat" } });
  expect(parse("bytes=0")).toMatchObject({ ok: true, values: { bytes: 0 } });
  expect(parse("bytes=100&how=sum")).toEqual({ ok: true, values: { bytes: 100, how: "sum" } });
});

const integer = "an integer from 0 to 100";
test.each([
  ["bytes=101", "bytes", integer],
  ["bytes=-1", "bytes", integer],
  ["bytes=1.5", "bytes", integer],
  ["bytes=1e1", "bytes", integer],
  ["bytes=", "bytes", integer],
  ["bytes=99999999999999999999", "bytes", integer],
  ["how=other", "how", "one of concat, sum"],
  ["bytes=1&bytes=1", "bytes", integer],
  ["bites=1", "bites", "bytes, how"],
  ["__proto__=1", "__proto__", "bytes, how"],
  ["constructor=1", "constructor", "bytes, how"],
])("%s is refused with the name of the parameter and its bounds", (query, parameter, bounds) => {
  expect(parse(query)).toMatchObject({ ok: false, problem: { parameter, bounds } });
});

test("little is repeated of a hostile query", () => {
  const parsed = parse(`${"x".repeat(10_000)}=${"y".repeat(10_000)}`);
  expect(parsed.ok).toBe(false);
  expect(JSON.stringify(parsed).length).toBeLessThan(600);
});
