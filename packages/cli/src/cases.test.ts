import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discoverApps } from "@evenbench/host";
import { appIdOf, listTargets } from "@evenbench/runner";
import { afterEach, beforeEach, expect, test } from "vitest";
import { casesAskedFor, casesInSources, casesOfSuite, listSuites, targetsWith } from "./cases.ts";

const appsWith = async (...cases: string[]) => [
  ...new Set((await targetsWith(await listTargets(), cases)).map(appIdOf)),
];

test("only targets of the apps that have the cases named are built", async () => {
  expect(await appsWith("react-ssr")).toEqual(["bundle"]);
  expect((await appsWith("next-page", "empty")).sort()).toEqual(["bundle", "next"]);
  expect(await appsWith()).toEqual([...new Set((await listTargets()).map(appIdOf))]);
});

test("a case can be named by its path where only its app was chosen", async () => {
  const ofNext = (await listTargets()).filter((target) => appIdOf(target) === "next");
  expect(await targetsWith(ofNext, ["empty"])).toEqual(ofNext);
});

test("sources name the cases that the built app serves", async () => {
  const apps = (await discoverApps()).filter(({ casesInSources }) => casesInSources !== undefined);
  expect(apps.map(({ id }) => id)).toContain("bundle");
  for (const app of apps) {
    const built = (await app.cases()).map(({ id, path, title }) => ({ id, path, title }));
    expect(built.length, app.id).toBeGreaterThan(0);
    expect(await app.casesInSources?.()).toEqual(built);
  }
});

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
    /mine\.suite\.json is not a suite: .* as in published/,
  );
});
