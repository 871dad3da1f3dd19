import { readFile } from "node:fs/promises";
import { marksIn, marksOf } from "@evenbench/report/testing/colours";
import { scratchFolder } from "@evenbench/runner/testing";
import { expect, test } from "vitest";
import { writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { createLoadReport } from "./create-report.ts";

const PLAIN = { width: 100, color: false };

test.each([[["vercel", "cloudflare"]], [["cloudflare", "node"]]] as const)(
  "load.html of %j marks and draws each platform with its colour, in the one order",
  async (names) => {
    await using scratch = await scratchFolder();
    await writeSyntheticLoad(scratch.path, { of: "concurrency", names });
    const html = await readFile((await createLoadReport(scratch.path, PLAIN)).htmlFile, "utf8");
    const expected = marksOf(
      ["node", "cloudflare", "vercel"].filter((one) => names.some((name) => name === one)),
    );
    expect(marksIn(html)).toEqual(expected);
    const drawn = [...html.matchAll(/stroke="var\(--t(\d)\)"/g)].map(([, colour]) => `c${colour}`);
    expect([...new Set(drawn)].sort()).toEqual(expected.map(([, mark]) => mark).sort());
  },
);

test("two subjects on one platform have its colour, and differ by their dashes", async () => {
  await using scratch = await scratchFolder();
  const run = await writeSyntheticLoad(scratch.path, { of: "concurrency" });
  const subjects = run.plan.subjects.map((one) => ({ ...one, target: { ...one.target, platform: "node" } }));
  await using second = await scratchFolder();
  await writeSyntheticLoad(second.path, { of: "concurrency", changes: { plan: { ...run.plan, subjects } } });
  const { data, htmlFile } = await createLoadReport(second.path, PLAIN);
  expect(data.cases[0]?.subjects.map(({ colour, before }) => [colour, before])).toEqual([
    [0, 0],
    [0, 1],
  ]);
  expect(await readFile(htmlFile, "utf8")).toContain('stroke-dasharray="6 3"');
});
