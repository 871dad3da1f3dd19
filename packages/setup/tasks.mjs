import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./toolchain.mjs";

const cli = "packages/cli/evenbench.ts";
const apps = readdirSync("apps").filter((app) => existsSync(`apps/${app}/package.json`));

const scripts = apps.flatMap((app) =>
  Object.keys(JSON.parse(readFileSync(`apps/${app}/package.json`, "utf8")).scripts ?? {}),
);

const builds = ["build", ...new Set(scripts.filter((script) => script.startsWith("build:")))];

const projects = [".", ...apps.map((app) => `apps/${app}`)].filter((folder) =>
  existsSync(`${folder}/tsconfig.json`),
);

export const tasks = {
  bench: (environment, args) => runNode([cli, ...args], environment),
  dev: (environment, args) => runNode([cli, "dev", ...args], environment),
  new: (environment, args) => runNode([cli, "new", ...args], environment),
  "bench:self": (environment, args) => run("node", ["packages/studies/src/self.ts", ...args], environment),
  build: (environment, args) => run("turbo", ["run", ...builds, ...args], environment),
  types: (environment) =>
    runAll(
      projects.map((folder) => ["tsc", ["--noEmit", "--project", folder]]),
      environment,
    ),
  test: (environment, args) => runTests(environment, args, ["--project", "unit", "--project", "process"]),
  "test:all": (environment, args) => runTests(environment, args, []),
};

/** With a channel, by which it knows that it is to end with this process. */
function runNode(args, environment) {
  return run("node", args, environment, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
}

/** Cheap checks first. With arguments only Vitest runs, on what it needs. */
function runTests(environment, args, usual) {
  const build = ["turbo", ["run", ...builds, ...filtersFor(args), "--output-logs=errors-only"]];
  const tests = ["vitest", ["run", ...(args.length > 0 ? args : usual)]];
  if (args.length > 0) return runAll([build, tests], environment);
  const checks = ["//#lint", "//#types", "//#unused"];
  const quiet = ["--output-logs=new-only", "--log-prefix=none", "--ui=stream"];
  return runAll([["turbo", ["run", ...checks, ...quiet]], build, tests], environment);
}

async function runAll(commands, environment) {
  for (const [command, args] of commands) {
    const code = await run(command, args, environment);
    if (code !== 0) return code;
  }
  return 0;
}

/** Packages of the files and folders that are named. None: all, as where one says `"testsNeed": "every build"`. */
function filtersFor(args) {
  const packages = [...new Set(args.filter(existsSync).map(packageOf))].map(readPackage);
  if (packages.some(({ evenbench }) => evenbench?.testsNeed === "every build")) return [];
  return packages.map(({ name }) => `--filter=${name}`);
}

function packageOf(path) {
  let folder = path;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
