import { testFolder } from "@evenbench/host/testing/folder";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { expect, test } from "vitest";
import { studyPool } from "./pool.ts";

const out = testFolder();
const run = (seed: number) => writeSyntheticRun(out, { trials: 10, rounds: 50, seed });
const folders = [await run(42), await run(7)] as const;

const OPTIONS = { draws: 12, sizes: [3], most: 5, seed: 1 };
const cellsOf = (markdown: string, start: string) => {
  const line = markdown.split("\n").find((row) => row.startsWith(`| ${start}`)) ?? "";
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => Number.parseFloat(cell));
};

test("intervals of runs drawn from a pool contain its ratios, its copies are the same, slower ones are found", async () => {
  const [first] = folders;
  const markdown = await studyPool([first], OPTIONS);
  expect(markdown).toContain("4 cases, 10 trials of each or more, 12 drawn runs of each kind, seed 1.");
  for (const plan of ["time, 3 trials", "time, 3 to 5 trials, until decided"]) {
    const [, intervals, rest, pool, halfWidth, answered, different, , slower] = cellsOf(markdown, plan);
    // Less what is not warm.
    expect(intervals).toBeGreaterThan(0.9 * 12 * 4 * 2);
    expect(rest).toBeGreaterThan(90);
    expect(pool).toBeGreaterThan(95);
    expect(halfWidth).toBeLessThan(6);
    expect(answered).toBeGreaterThan(7);
    expect(different).toBeLessThan(5);
    expect(slower).toBeGreaterThan(90);
  }
  const [, , , , , faster, claimedSlower] = cellsOf(markdown, "trig, cloudflare, time, 3 trials");
  expect([faster, claimedSlower]).toEqual([0, 100]);
  expect(await studyPool([first], OPTIONS)).toBe(markdown);
});

test("two runs of the same cases are one pool", async () => {
  const both = await studyPool(folders, { ...OPTIONS, draws: 1, most: 0 });
  expect(both).toContain("20 trials of each");
});
