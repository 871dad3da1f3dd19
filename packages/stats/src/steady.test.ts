import { expect, test } from "vitest";
import { isSteady } from "./steady.ts";

const times = (count: number, ms: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ms(index));

test("too few exchanges are not steady, however equal", () => {
  expect(isSteady(times(14, () => 20))).toBe(false);
});

test("equal times are steady as soon as there are three windows of them", () => {
  expect(isSteady(times(15, () => 20))).toBe(true);
});

test("times that keep falling are not steady", () => {
  expect(isSteady(times(30, (index) => 40 * 0.97 ** index))).toBe(false);
});

test("a steep start is forgotten once times have settled", () => {
  expect(isSteady(times(30, (index) => (index < 10 ? 100 - index * 8 : 20)))).toBe(true);
});

test("single outliers do not disturb", () => {
  expect(isSteady(times(15, (index) => (index % 5 === 0 ? 80 : 20)))).toBe(true);
});
