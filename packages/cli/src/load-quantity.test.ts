import { InvalidArgumentError } from "commander";
import { expect, test } from "vitest";
import { parseConcurrency, parseLimit, parseRates } from "./load-quantity.ts";

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
