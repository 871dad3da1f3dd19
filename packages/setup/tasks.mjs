import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { run } from "./run.mjs";

const cli = "packages/cli/evenbench.ts";
/** turbo for builds: one at a time in a clone. */
const lockedTurbo = "packages/cli/src/locked-turbo.ts";
const apps = readdirSync("apps").filter((app) => existsSync(`apps/${app}/package.json`));

const scripts = apps.flatMap((app) =>
  Object.keys(JSON.parse(readFileSync(`apps/${app}/package.json`, "utf8")).scripts ?? {}),
);

const builds = ["build", ...new Set(scripts.filter((script) => script.startsWith("build:")))];

const projects = [".", ...apps.map((app) => `apps/${app}`)].filter((folder) =>
  existsSync(`${folder}/tsconfig.json`),
);

/**
 * The tasks of `npm run <task> -- <arguments>`. Each gets the environment for its programs and the arguments,
 * and ends when its program does; a failure throws a `SetupError` with the exit code.
 */
export const tasks = {
  bench: (environment, args) => runNode([cli, ...args], environment),
  dev: (environment, args) => runNode([cli, "dev", ...args], environment),
  new: (environment, args) => runNode([cli, "new", ...args], environment),
  "bench:self": (environment, args) => run("node", ["packages/studies/src/self.ts", ...args], environment),
  build: (environment, args) => run("node", [lockedTurbo, "run", ...builds, ...args], environment),
  types: (environment) =>
    runAll(
      projects.map((folder) => ["tsc", ["--noEmit", "--project", folder]]),
      environment,
    ),
  test: (environment, args) => runTests(environment, args, ["vitest"]),
  "test:all": (environment, args) => runTests(environment, args, ["vitest", "vitest-long"]),
};

/** Runs Node.js with a channel, by which the program knows that it is to end with this process. */
function runNode(args, environment) {
  return run("node", args, environment, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
}

/** Cheap checks first. With arguments only Vitest runs, on what it needs. */
async function runTests(environment, args, suites) {
  const build = ["node", [lockedTurbo, "run", ...builds, ...filtersFor(args), "--output-logs=errors-only"]];
  if (args.length > 0) {
    return runAll([build, ["vitest", ["run", ...args]]], environment);
  }
  const code = await runAll([cached("lint", "types", "unused"), build], environment);
  return code || runSuites(suites, { ...environment, EVENBENCH_PROGRAMS: programs(environment) });
}

/** turbo has a summary behind each suite. */
async function runSuites(suites, environment) {
  const counts = [];
  let code = 0;
  for (const suite of suites) {
    const log = `.turbo/turbo-${suite}.log`;
    rmSync(log, { force: true });
    code = await runAll([cached(suite)], environment);
    const text = existsSync(log) ? readFileSync(log, "utf8") : "";
    const closing = text.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm)?.at(-1);
    counts.push(closing?.match(/\d+/g).map(Number));
    if (code !== 0) {
      break;
    }
  }
  const [passed, failed, skipped] = [0, 1, 2].map((index) =>
    counts.reduce((sum, suite) => sum + suite?.[index], 0),
  );
  const line = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  console.log(counts.includes(undefined) ? "The tests did not end." : line);
  return code;
}

function cached(...scripts) {
  const quiet = ["--output-logs=new-only", "--log-prefix=none", "--ui=stream"];
  return ["turbo", ["run", ...scripts.map((script) => `//#${script}`), ...quiet]];
}

/** Tests skip what is not installed. Node.js is asked for its version: a first run's door is an older one. */
function programs(environment) {
  const version = execFileSync("node", ["--version"], { env: environment, encoding: "utf8" });
  const runtimes = apps.map((app) => `apps/${app}/runtime/node_modules`);
  const folders = [...environment.PATH.split(delimiter), ...runtimes].filter((folder) => existsSync(folder));
  return [version, ...folders.map((folder) => `${folder} ${statSync(folder).mtimeMs}`)].join(delimiter);
}

async function runAll(commands, environment) {
  for (const [command, args] of commands) {
    const code = await run(command, args, environment);
    if (code !== 0) {
      return code;
    }
  }
  return 0;
}

/**
 * Packages of the files and folders that are named. None: all, as where one is the root or says `"testsNeed":
 * "every build"`.
 */
function filtersFor(args) {
  const folders = [...new Set(args.filter(existsSync).flatMap(packageOf))];
  const packages = folders.map(readPackage);
  const needsAll = packages.some(({ evenbench }) => evenbench?.testsNeed === "every build");
  return needsAll || folders.includes(".") ? [] : packages.map(({ name }) => `--filter=${name}`);
}

/** None where the path is outside of the clone. */
function packageOf(path) {
  let folder = join(relative("", path));
  if (folder.startsWith("..")) {
    return [];
  }
  while (!existsSync(join(folder, "package.json"))) {
    folder = dirname(folder);
  }
  return [folder];
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
