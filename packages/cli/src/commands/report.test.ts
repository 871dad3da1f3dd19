import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newestRun } from "./report.ts";

let results: string;
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), "evenbench-newest-"));
});
afterEach(() => rm(results, { recursive: true }));

async function folder(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(results, name));
  for (const [file, text] of Object.entries(files)) await writeFile(join(results, name, file), text);
}

test("the newest run is one that measured something, not one that preflight stopped", async () => {
  await folder("20261119-080000", { "run.json": "{}", "samples.ndjson": "{}\n" });
  await folder("20261120-080000", { "load.json": "{}", "samples.ndjson": "{}\n" });
  await folder("20261121-080000", { "run.json": "{}", "samples.ndjson": "" });
  await folder("20261121-080001", { "run.json": "{}" });
  await folder("20261121-080002", { "experiments.json": "{}", "samples.ndjson": "{}\n" });
  expect(await newestRun(results)).toBe(join(results, "20261120-080000"));
});

test("where nothing was measured, it says what to do", async () => {
  await folder("20261121-080000", { "run.json": "{}", "samples.ndjson": "" });
  await expect(newestRun(results)).rejects.toThrow(/no run in .* that has a sample.*npm run bench/);
});
