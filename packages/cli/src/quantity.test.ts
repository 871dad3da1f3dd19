import { InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import {
  collect,
  parseConcurrency,
  parseDuration,
  parseFailOn,
  parseLimit,
  parsePause,
  parsePrecision,
  parseRates,
  parseTimes,
  wholeNumber,
} from "./quantity.ts";

describe("parseDuration", () => {
  test.each([
    ["60s", 60_000],
    ["2m", 120_000],
    ["1.5m", 90_000],
    ["500ms", 500],
    ["0.5h", 1_800_000],
  ])("reads %s as %i ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(["", "s", "-1s", "1 s", "1d", "0s", "25h", "NaN", "10"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(/duration/i);
  });
});

test("a rest may be short", () => {
  expect(parsePause("80ms")).toBe(80);
  expect(() => parsePause("0ms")).toThrow("between 1ms and 24h");
});

test("a precision is a percentage or a fraction", () => {
  expect(parsePrecision("2%")).toBe(0.02);
  expect(parsePrecision("0.05")).toBe(0.05);
  for (const text of ["0", "100%", "2", "x%", "-1%"])
    expect(() => parsePrecision(text)).toThrow(/precision/i);
});

test("a whole number outside its bounds is refused with the bounds", () => {
  const parse = wholeNumber(1, 10);
  expect(parse("10")).toBe(10);
  for (const text of ["0", "11", "1.5", "ten", ""]) expect(() => parse(text)).toThrow("from 1 to 10");
});

test("a repeatable option takes words one by one or joined by commas", () => {
  expect(collect("c", collect("a,b"))).toEqual(["a", "b", "c"]);
});

test.each(["", ",", ",,"])(
  "a repeatable option that names nothing, %j, is refused, and is no choice of all",
  (text) => {
    expect(() => collect(text)).toThrow("It names nothing");
    expect(() => collect(text, ["a"])).toThrow("It names nothing");
  },
);

test("times are of all cases, or of each once", () => {
  expect(parseTimes("2s")).toBe(2000);
  expect(parseTimes("a=1s,b=2s")).toEqual(
    new Map([
      ["a", 1000],
      ["b", 2000],
    ]),
  );
  expect(() => parseTimes("a=1s,a=2s")).toThrow('names "a" twice');
});

test("concurrency is a list, or a range that doubles", () => {
  expect(parseConcurrency("4,1,2,2")).toEqual([1, 2, 4]);
  expect(parseConcurrency("1..32")).toEqual([1, 2, 4, 8, 16, 32]);
  expect(parseConcurrency("3..10")).toEqual([3, 6, 10]);
  expect(parseConcurrency("8")).toEqual([8]);
});

test("rates are a list", () => {
  expect(parseRates("40,10.5")).toEqual([10.5, 40]);
});

test.each(["", "0", "1,x", "32..1", "1..5000", "1.5", "-1", "1e9"])('concurrency "%s" is refused', (text) => {
  expect(() => parseConcurrency(text)).toThrow(InvalidArgumentError);
});

test.each(["", "0", "x", "-4", "1000000"])('a rate of "%s" is refused', (text) => {
  expect(() => parseRates(text)).toThrow(InvalidArgumentError);
});

test("a limit is a condition or a line that says how to write one", () => {
  expect(parseLimit("p99 <= 250ms")).toEqual({ quantile: 0.99, limitMs: 250 });
  expect(() => parseLimit("fast")).toThrow(/p99 <= 250ms/);
});

test("a condition names a verdict and a percentage", () => {
  expect(parseFailOn("slower 5%")).toEqual({ verdict: "slower", by: 0.05 });
  expect(parseFailOn(" faster  2.5 % ")).toEqual({ verdict: "faster", by: 0.025 });
  for (const text of ["slower", "slower 5", "somewhat slower 5%"])
    expect(() => parseFailOn(text)).toThrow(/such as/);
});
