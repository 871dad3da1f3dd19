import { expect, test } from "vitest";
import { countCell, countsOf, countWords } from "./counts.ts";

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
  expect(countCell(COUNTS, "lastByteMs")).toBe("2 faster, 1 unclear, 1 no verdict");
});

test("what takes less of anything but time is not called faster", () => {
  expect(countCell(COUNTS, "cpuMs")).toBe("2 less, 1 unclear, 1 no verdict");
  expect(countCell(countsOf([{ verdict: "slower" }]), "memoryBytes")).toBe("1 more");
});

test("nothing compared is said, and counts nothing", () => {
  expect(countWords(countsOf([]), "lastByteMs", "case")).toBe("nothing compared");
});
