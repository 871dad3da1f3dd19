import { expect, test } from "vitest";
import { countsOf, countWords } from "./counts.ts";

const COUNTS = countsOf([
  { verdict: "unclear" },
  { verdict: "faster" },
  { verdict: "none" },
  { verdict: "faster" },
]);

test("counts are said in one order, with what they are of", () => {
  expect(countWords(COUNTS, "lastByteMs", "case")).toBe(
    "faster in 2 of 4 cases, unclear in 1, no verdict in 1",
  );
  expect(countWords(COUNTS, "lastByteMs")).toBe("faster in 2 of 4, unclear in 1, no verdict in 1");
});

test("what takes less of anything but time is not called faster", () => {
  expect(countWords(COUNTS, "cpuMs")).toBe("less in 2 of 4, unclear in 1, no verdict in 1");
  expect(countWords(countsOf([{ verdict: "slower" }]), "memoryBytes")).toBe("more in 1 of 1");
});

test("nothing compared is said, and counts nothing", () => {
  expect(countWords(countsOf([]), "lastByteMs", "case")).toBe("nothing compared");
});
