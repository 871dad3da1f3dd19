import { expect, test } from "vitest";
import { analysedWithCpu } from "../../test/synthetic.ts";
import { summaryOf } from "../summary.ts";
import { renderCsv } from "./csv.ts";

/** The numbers and texts of a value, wherever they stand in it; lists have no cell. */
function leavesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return [];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

test("every number and text of a row of summary.json is in its line of summary.csv", () => {
  const summary = summaryOf(analysedWithCpu({ trials: 3, rounds: 20 }));
  const [head = "", ...lines] = renderCsv(summary).trimEnd().split("\r\n");
  expect(new Set(head.split(",")).size).toBe(head.split(",").length);
  expect(lines.length).toBe(summary.rows.length);
  for (const [index, row] of summary.rows.entries()) {
    const cells = lines[index]?.split(",") ?? [];
    const known = leavesOf(row).filter((leaf) => leaf !== null && leaf !== "");
    expect(known.length).toBeGreaterThan(20);
    expect(known.map(String).filter((leaf) => !cells.includes(leaf) && !leaf.includes(","))).toEqual([]);
  }
});
