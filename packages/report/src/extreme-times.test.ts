import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeSyntheticRun } from "../test/synthetic.ts";
import { renderCsv } from "./export/summary.ts";
import { compareRuns, createReport, readHistory, renderComparison, renderHistory } from "./index.ts";

let results: string;
let folder: string;
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), "evenbench-times-"));
  folder = await writeSyntheticRun(results, { rounds: 5 });
});
afterEach(() => rm(results, { recursive: true }));

/** Writes a number in the place of every one that a field of all samples has. */
async function set(field: string, value: string): Promise<void> {
  const file = join(folder, "samples.ndjson");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(new RegExp(`"${field}":[\\d.]+`, "g"), `"${field}":${value}`));
}

/** Every text that is made of the run. */
async function texts(): Promise<string[]> {
  const { terminal, markdown, htmlFile, summary } = await createReport(folder, { width: 100, color: false });
  const compared = await compareRuns(folder, folder, { anyway: true });
  const history = await readHistory(results, { anyway: true });
  const others = [await readFile(htmlFile, "utf8"), JSON.stringify(summary), renderCsv(summary)];
  return [terminal, markdown, ...others, renderComparison(compared), renderHistory(history)];
}

test.each([
  ...["0", "5e-324", "1.7e308", "1.8e308"].map((value) => ["lastByteMs", value]),
  ["startedAtMs", "1.8e308"],
])("samples whose %s are all %s are refused in words", async (field, value) => {
  await set(field, value);
  const [terminal = "", ...others] = await texts();
  expect(terminal).toContain("samples.ndjson is damaged: line 1 is not a sample");
  expect(terminal).toContain("Nothing was measured.");
  for (const text of others) expect(text).not.toMatch(/NaN|Infinity( ms|×)/);
});

test.each(["0.000001", "1000000000000"])(
  "times that are all %s ms are reported as numbers",
  async (value) => {
    await set("firstByteMs", value);
    await set("lastByteMs", value);
    for (const text of await texts()) expect(text).not.toMatch(/NaN|Infinity/);
  },
);
