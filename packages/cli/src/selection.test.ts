import { expect, test } from "vitest";
import { assertBaselineBuilt } from "./selection.ts";

const missing = [{ name: "vercel", detail: "building it failed" }];

test("a baseline that was asked for and could not be built ends the run, and no other takes its place", () => {
  expect(() => assertBaselineBuilt("vercel", missing)).toThrow(
    /^The baseline vercel could not be built .*--baseline\.$/,
  );
});

test("without one, and with another, the run goes on", () => {
  expect(() => assertBaselineBuilt(undefined, missing)).not.toThrow();
  expect(() => assertBaselineBuilt("node", missing)).not.toThrow();
});
