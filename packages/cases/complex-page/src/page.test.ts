import { maskBody } from "@evenbench/core";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server.edge";
import { expect, test } from "vitest";
import { renderHtml } from "./html.ts";
import { computePage, factorial, fibonacciNumbers, primesUpTo } from "./page.ts";
import { ComplexDocument } from "./react.tsx";

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

test("the page has the parts that the catalogue names", () => {
  const page = computePage();
  expect(page.primeCount).toBe(9592);
  expect(page.sections).toHaveLength(50);
  expect(page.sections.flatMap((section) => section.primes)).toEqual(primesUpTo(100_000).slice(0, 5000));
  expect(page.fibonacci).toHaveLength(100);
  expect(page.cells).toHaveLength(300);
  expect(page.cells[5]?.factorial).toBe("1.20e+2");
  expect(page.cells[299]?.factorial).toBe("2.43e+18");
  expect(page.sections[3]?.items).toHaveLength(20);
  expect(page.sections[3]?.items[7]).toMatchObject({
    root: Math.sqrt(3007).toFixed(4),
    code: (3 * 7 * 12345).toString(36),
    wave: (Math.sin(3) * Math.cos(7)).toFixed(6),
    growth: null,
  });
});

test.each([
  ["template strings", () => renderHtml(computePage())],
  ["React", () => renderToStaticMarkup(createElement(ComplexDocument, { data: computePage() }))],
])("two renderings by %s are equal once masked, and of equal length before", async (_how, render) => {
  const first = render();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = render();
  expect(second).not.toBe(first);
  expect(second.length).toBe(first.length);
  expect(maskBody(second)).toBe(maskBody(first));
});
