import { expect, test } from "vitest";
import { maskBody, volatile } from "./mask.ts";

test("bodies that differ only in volatile text are equal once masked", () => {
  const page = (now: string) => `<p>${volatile(now)}</p><p>same</p>${volatile("a\nb")}`;
  expect(maskBody(page("2026-01-01"))).toBe(maskBody(page("2027-12-31")));
});

test("a difference outside the marker survives masking", () => {
  expect(maskBody(`a${volatile("1")}b`)).not.toBe(maskBody(`a${volatile("1")}c`));
});

test("a case's own masks replace every match", () => {
  const masks = [{ name: "build id", pattern: "/_build/[a-z0-9]+/", replacement: "/_build/ID/" }];
  expect(maskBody("/_build/abc1/ /_build/x/", { masks, variation: null })).toBe("/_build/ID/ /_build/ID/");
});
