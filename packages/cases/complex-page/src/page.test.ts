import { expect, test } from "vitest";
import { factorial, fibonacciNumbers, primesUpTo } from "./page.ts";

test("9,592 primes lie below 100,000, and 41,538 below 500,000", () => {
  expect(primesUpTo(100_000)).toHaveLength(9592);
  expect(primesUpTo(500_000)).toHaveLength(41_538);
  expect(primesUpTo(30)).toEqual([2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
});

test("Fibonacci numbers and factorials follow their definitions", () => {
  expect(fibonacciNumbers(10)).toEqual([0, 1, 1, 2, 3, 5, 8, 13, 21, 34]);
  expect(fibonacciNumbers(79).at(-1)).toBe(8_944_394_323_791_464);
  expect([0, 1, 5, 20].map(factorial)).toEqual([1, 1, 120, 2_432_902_008_176_640_000]);
});
