import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { discoverApps, repositoryRoot } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { listen } from "@evenbench/probe/testing";
import { appIdOf, listTargets } from "@evenbench/runner";
import { expect, test, vi } from "vitest";
import { evenbench } from "../test/evenbench.ts";
import { listCases } from "./app-cases.ts";
import type { SelectionOptions } from "./options.ts";
import { chooseOfRepository } from "./selection.ts";
import { casesOfSuite } from "./suites.ts";

const choose = (options: Partial<SelectionOptions>) =>
  chooseOfRepository({ build: false, deployed: false, ...options });
const PUBLISHED = await casesOfSuite("published");
const idsOf = async (options: Partial<SelectionOptions>) =>
  Object.values((await choose(options)).cases).flatMap((cases) => cases.map(({ id }) => id));

test.each([
  [{ case: ["react-ssr"] }, ["bundle"], ["react-ssr"]],
  [{ case: ["next-page", "empty"] }, ["bundle", "next"], ["empty", "next-page"]],
  // By its path, where only its app was chosen.
  [{ case: ["empty"], app: ["next"] }, ["next"], ["next-empty"]],
  [{ case: ["published", "empty"] }, ["bundle", "next", "sveltekit"], ["empty", ...PUBLISHED].sort()],
  // A second build of an app's pages serves its cases, where somebody asks for it.
  [{ case: ["next-page"], target: ["next-node", "vinext-cloudflare"] }, ["next"], ["next-page"]],
  [{ case: ["next-page"], app: ["vinext"] }, ["next"], ["next-page"]],
  // Of a suite only what the targets serve.
  [{ case: ["published"], app: ["next"] }, ["next"], ["next-page"]],
])("%j chooses the targets of %j, and the cases %j", async (options, apps, ids) => {
  const { targets } = await choose(options);
  expect([...new Set(targets.map(appIdOf))].sort()).toEqual(apps);
  expect((await idsOf(options)).sort()).toEqual(ids);
});

test("a second build of an app's pages is measured beside the first where it is named, and by rules for both", async () => {
  const { targets: usual } = await choose({ case: ["next-page"] });
  expect(usual.map(({ name }) => name)).not.toContain("vinext-node");
  const both = await choose({ case: ["next-page"], app: ["next", "vinext"] });
  expect(both.targets.map(({ name }) => name)).toEqual(expect.arrayContaining(["next-node", "vinext-node"]));
  expect(both.cases.next).toMatchObject([{ variation: { normalForm: "react-document" } }]);
  const alone = await choose({ case: ["next-page"], app: ["next"] });
  expect(alone.cases.next).toMatchObject([{ variation: { normalForm: "react-stream" } }]);
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

const folder = testFolder();

test("every suite of the repository names cases that targets serve", async () => {
  const served = Object.values(await listCases(await listTargets())).flatMap((cases) =>
    cases.map(({ id }) => id),
  );
  const suites = globSync("packages/cases/*.suite.json", { cwd: repositoryRoot });
  expect(suites.length).toBeGreaterThan(0);
  for (const file of suites) {
    expect(served).toEqual(expect.arrayContaining([...(await casesOfSuite(basename(file, ".suite.json")))]));
  }
});

test("a run measures the published suite, of an app all cases; where a suite has none of them, it is said", async () => {
  const published = await casesOfSuite("published");
  expect((await idsOf({})).sort()).toEqual(published.toSorted());
  expect((await idsOf({ app: ["next"] })).length).toBeGreaterThan(2);
  expect((await idsOf({ case: ["all"] })).length).toBeGreaterThan(published.length);
  // A fork may have no such app.
  const apps = Object.entries(await listCases(await listTargets()));
  const [bare] = apps.find(([, cases]) => cases.every(({ id }) => !published.includes(id))) ?? [];
  if (bare === undefined) {
    return;
  }
  await expect(choose({ app: [bare], case: ["published"] })).rejects.toThrow(
    'serve no case of the suite "published"',
  );
});

test("a fork adds a suite as a file beside its cases", async () => {
  const suite = { title: "Mine", description: "Two cases.", cases: ["empty", "math"] };
  await writeFile(join(folder, "mine.suite.json"), JSON.stringify(suite));
  expect(await casesOfSuite("mine", folder)).toEqual(["empty", "math"]);
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

test("EVENBENCH_TOKEN is sent to URLs that --deployed says are deployed, and to no other", async () => {
  vi.stubEnv("EVENBENCH_TOKEN", "feedfacefeedfacefeedfacefeedface");
  const sent: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  const words = ["preflight", "--case", "empty", "--target", `mine=${await listen(server)}`];
  const { output } = await evenbench(...words);
  expect(output).toContain("wants its token");
  expect(sent).toEqual([undefined]);
  await evenbench(...words, "--deployed");
  expect(sent).toEqual([undefined, "Bearer feedfacefeedfacefeedfacefeedface"]);
});
