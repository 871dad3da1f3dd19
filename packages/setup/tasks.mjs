import { existsSync, readdirSync } from "node:fs";
import { run } from "./toolchain.mjs";

const cli = "packages/cli/evenbench.ts";
const apps = readdirSync("apps");

/** An app for several platforms has a build task for each of them. */
export const builds = [
  "build",
  ...apps.filter((app) => existsSync(`apps/${app}/platform.ts`)).map((platform) => `build:${platform}`),
];

/** Frameworks want settings of TypeScript that the rest does without. */
const projects = [".", ...apps.map((app) => `apps/${app}`)].filter((folder) =>
  existsSync(`${folder}/tsconfig.json`),
);

/** What the root's scripts do once everything is installed. Each takes the environment and the user's arguments. */
export const tasks = {
  bench: (environment, args) => run("node", [cli, ...args], environment),
  dev: (environment, args) => run("node", [cli, "dev", ...args], environment),
  new: (environment, args) => run("node", [cli, "new", ...args], environment),
  "bench:self": (environment, args) => run("node", ["packages/cli/bench/self.ts", ...args], environment),
  build: (environment, args) => run("turbo", ["run", ...builds, ...args], environment),
  types: (environment) =>
    runAll(
      projects.map((folder) => ["tsc", ["--noEmit", "--project", folder]]),
      environment,
    ),
  test: runTests,
};

/** Cheap checks first; the first failure ends it. Arguments go to Vitest, and then only Vitest runs. */
async function runTests(environment, args) {
  const build = ["turbo", ["run", ...builds, "--output-logs=errors-only"]];
  const tests = ["vitest", ["run", ...args]];
  if (args.length > 0) return runAll([build, tests], environment);
  const code = await runAll([["biome", ["check", "."]]], environment);
  return code || (await tasks.types(environment)) || runAll([build, tests], environment);
}

async function runAll(commands, environment) {
  for (const [command, args] of commands) {
    const code = await run(command, args, environment);
    if (code !== 0) return code;
  }
  return 0;
}
