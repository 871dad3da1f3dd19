import { expect, test } from "vitest";
import { analysed } from "../../test/synthetic.ts";
import { parts } from "./costs.ts";

test("a part of a body that nobody saw leaves its own cells empty, and those of no other part", () => {
  const data = analysed({ rounds: 10 });
  const report = data.cases.find(({ partTimes }) => partTimes.length > 0);
  if (report === undefined) {
    throw new Error("No synthetic case has a streamed body.");
  }
  const cellsOf = (partTimes: typeof report.partTimes) => {
    const table = parts.table({ ...report, partTimes }, data)?.text ?? "";
    const row = table.split("\n").find((line) => line.includes("workerd")) ?? "";
    return [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
  };
  const [, ...others] = cellsOf(report.partTimes);
  expect(others).toHaveLength(2);
  const unseen = report.partTimes.filter(({ target, part }) => target !== "cloudflare" || part !== "first");
  expect(cellsOf(unseen)).toEqual(["–", ...others]);
});
