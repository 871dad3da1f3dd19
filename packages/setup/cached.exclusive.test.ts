import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builds } from "./tasks.mjs";

interface DryRun {
  readonly tasks: readonly {
    readonly taskId: string;
    readonly command: string;
    readonly hash: string;
    readonly cache: { readonly status: string };
  }[];
}

interface Manifest {
  readonly name: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** What turbo would run. It lists packages without such a script, too. */
async function dryRun(tasks: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<DryRun["tasks"]> {
  const { stdout } = await promisify(execFile)("turbo", ["run", ...tasks, "--dry=json"], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 2 ** 20,
  });
  const read: DryRun = JSON.parse(stdout);
  return read.tasks.filter(({ command }) => command !== "<NONEXISTENT>");
}

// `npm test` has just built everything: what a build leaves behind must be no input of the next one.
test("a second build comes from the cache, all of it", async () => {
  const tasks = await dryRun(builds);
  expect(tasks.length).toBeGreaterThan(builds.length);
  expect(tasks.filter(({ cache }) => cache.status !== "HIT").map(({ taskId }) => taskId)).toEqual([]);
});

/** The build tasks of the apps and platforms, as their package.json files have them. */
const APP_BUILDS = globSync("apps/*/package.json").flatMap((file) => {
  const { name, scripts = {} }: Manifest = JSON.parse(readFileSync(file, "utf8"));
  const names = Object.keys(scripts).filter((script) => /^build(:|$)/.test(script));
  return names.map((script) => `${name.replace("@evenbench/", "")}#${script}`);
});
const PLATFORM_BUILDS = APP_BUILDS.filter((build) => build.endsWith("#build"));
const FRAMEWORK_BUILDS = APP_BUILDS.filter((build) => build.includes("#build:"));
/** What others can install: made of all that the command imports. */
const PACKAGE = "evenbench#build";
const ALL_BUILDS = [...PLATFORM_BUILDS, ...FRAMEWORK_BUILDS, "bundle#build", PACKAGE].sort();

/** The hash of every build by its name: of two equal ones, the second comes from the cache. */
const buildHashes = async () =>
  new Map((await dryRun(builds)).map(({ taskId, hash }) => [taskId.replace("@evenbench/", ""), hash]));

test.each([
  ["a case", "packages/cases/math/changed.ts", ALL_BUILDS],
  ["the request handler", "packages/bundle/src/handler/changed.ts", ALL_BUILDS],
  [
    "how a Worker is built",
    "apps/cloudflare/src/changed.ts",
    ["app-cloudflare#build", ...FRAMEWORK_BUILDS, PACKAGE],
  ],
  ["one app", "apps/next/src/changed.ts", FRAMEWORK_BUILDS.filter((build) => build.includes("next"))],
  ["what apps are hosted with", "packages/host/src/changed.ts", ALL_BUILDS],
  ["the report", "packages/report/src/changed.ts", [PACKAGE]],
  ["a test", "packages/core/src/changed.test.ts", []],
  ["a README", "packages/core/changed.md", []],
])(
  "after a change of %s, what is made of it is built again, and nothing else",
  async (_what, file, expected) => {
    const before = await buildHashes();
    const path = new URL(`../../${file}`, import.meta.url);
    await writeFile(path, "");
    const after = await buildHashes().finally(() => rm(path));
    expect([...before.keys()].sort()).toEqual(ALL_BUILDS);
    expect([...after.keys()].filter((build) => after.get(build) !== before.get(build)).sort()).toEqual(
      expected.toSorted(),
    );
  },
);

test("what CI has built is what any other machine builds", async () => {
  const built = async (CI?: string) =>
    (await dryRun(builds, { CI })).map(({ taskId, hash }) => `${taskId} ${hash}`);
  expect(await built("true")).toEqual(await built());
});
