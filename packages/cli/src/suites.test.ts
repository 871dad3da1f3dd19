import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listTargets } from "@evenbench/runner";
import { afterEach, beforeEach, expect, test } from "vitest";
import { casesInSources } from "./cases.ts";
import { casesAskedFor, casesOfSuite, listSuites } from "./suites.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-suites-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("every suite of the repository names cases that targets serve", async () => {
  const served = await casesInSources(await listTargets());
  const suites = await listSuites();
  expect(suites.map(({ name }) => name)).toContain("published");
  for (const { cases } of suites) expect(served).toEqual(expect.arrayContaining([...cases]));
});

test("a run measures the published suite, of an app all cases, and what is named above all", async () => {
  const targets = await listTargets();
  const published = await casesOfSuite("published");
  expect((await casesAskedFor({}, targets)).toSorted()).toEqual(published.toSorted());
  expect(await casesAskedFor({ app: ["next"] }, targets)).toEqual([]);
  expect(await casesAskedFor({ app: ["next"], suite: "published" }, targets)).toEqual(published);
  expect(await casesAskedFor({ suite: "all" }, targets)).toEqual([]);
  expect(await casesAskedFor({ suite: "published", case: ["empty"] }, targets)).toEqual(["empty"]);
});

test("of a suite only what the targets serve is asked for; where that is nothing, it is said", async () => {
  const targets = await listTargets();
  const ofNext = targets.filter(({ app }) => app.id === "next");
  expect(await casesAskedFor({}, ofNext)).toEqual(["next-page"]);
  await expect(casesAskedFor({}, [])).rejects.toThrow('serve no case of the suite "published"');
});

test("a fork adds a suite as a file beside its cases", async () => {
  const suite = { title: "Mine", description: "Two cases.", cases: ["empty", "math"] };
  await writeFile(join(folder, "mine.suite.json"), JSON.stringify(suite));
  expect(await casesOfSuite("mine", folder)).toEqual(["empty", "math"]);
  await expect(casesOfSuite("mien", folder)).rejects.toThrow('no suite "mien". Did you mean "mine"?');
});

test.each([
  ["no JSON", "{"],
  ["without cases", JSON.stringify({ title: "Mine", description: "", cases: [] })],
  ["with a field too many", JSON.stringify({ title: "", description: "", cases: ["empty"], more: 1 })],
])("a suite that is %s is told in one line", async (_what, text) => {
  await writeFile(join(folder, "mine.suite.json"), text);
  await expect(casesOfSuite("mine", folder)).rejects.toThrow(
    /mine\.suite\.json is no suite: .* as in published/,
  );
});
