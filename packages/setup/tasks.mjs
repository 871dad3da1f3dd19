import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { movingLine, run, runByLines } from "./run.mjs";
import { userFolder } from "./toolchain.mjs";

const cli = resolve("packages/cli/evenbench.ts");
/** turbo for builds: one at a time in a clone. */
const lockedTurbo = "packages/cli/src/locked-turbo.ts";
const apps = readdirSync("apps").filter((app) => existsSync(`apps/${app}/package.json`));

const scripts = apps.flatMap((app) => Object.keys(readJson(`apps/${app}/package.json`).scripts ?? {}));

/** All builds: the bundle's and the package's, and the frameworks' own, which are minutes of work. */
const builds = ["build", ...new Set(scripts.filter((script) => script.startsWith("build:")))];
/** What all tests stand on, which takes both cores in turn: checks, and the bundle for every platform. */
const basics = ["//#lint", "//#types", "//#unused", "build", "--filter=//", "--filter=./apps/*"];

/**
 * Writes no file, which would be a change of the clone: Next.js puts `incremental` into its app's tsconfig.json. Several
 * checkers would look at much of it several times, and other tasks use the other cores.
 */
const CHECK_TYPES = ["--noEmit", "--incremental", "false", "--checkers", "1"];

const projects = [".", ...apps.map((app) => `apps/${app}`)].filter((folder) =>
  existsSync(`${folder}/tsconfig.json`),
);

/**
 * The tasks of `npm run <task> -- <arguments>`. Each gets the environment for its programs and the arguments,
 * and ends when its program does; a failure throws a `SetupError` with the exit code.
 */
export const tasks = {
  bench: (environment, args) => runCommandLine(args, environment),
  dev: (environment, args) => runCommandLine(["dev", ...args], environment),
  new: (environment, args) => runCommandLine(["new", ...args], environment),
  "bench:self": (environment, args) => run("node", ["packages/studies/src/self.ts", ...args], environment),
  build: (environment, args) => run("node", [lockedTurbo, "run", ...builds, ...args], environment),
  types: (environment) =>
    runAll(
      projects.map((folder) => ["tsc", [...CHECK_TYPES, "--project", folder]]),
      environment,
    ),
  test: (environment, args) => runTests(environment, args, ["vitest"], [basics]),
  "test:all": (environment, args) => runTests(environment, args, ["vitest", "vitest-long"], [basics, builds]),
};

/**
 * Runs the command line where the user stands, with a channel, by which it knows that it is to end with this process.
 * Node.js itself takes none of the words behind `--`, such as `--env-file`.
 */
function runCommandLine(args, environment) {
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  return run("node", ["--", cli, ...args], environment, { cwd: userFolder, stdio });
}

/** With arguments only Vitest runs, on what it needs; else the suites run, after each of `steps` of turbo. */
async function runTests(environment, args, suites, steps) {
  const turbo = (...words) => ["node", [lockedTurbo, "run", ...words]];
  if (args.length > 0) {
    const code = await runStep("builds", turbo(...builds, ...filtersFor(args)), environment);
    // It would write colours into a file where CI is set.
    const colours = process.stdout.isTTY ? [] : ["--no-color"];
    return code || run("vitest", ["run", ...colours, ...args], environment);
  }
  for (const words of steps) {
    const name = words === basics ? "format, types, unused code, the bundle" : "builds";
    const code = await runStep(name, turbo(...words), environment);
    if (code !== 0) {
      return code;
    }
  }
  return runSuites(suites, { ...environment, EVENBENCH_PROGRAMS: programs(environment) });
}

/** Where turbo leaves what became of each task, a file for each run. */
const SUMMARIES = ".turbo/runs";

function summaries() {
  return existsSync(SUMMARIES) ? readdirSync(SUMMARIES) : [];
}

/**
 * Runs turbo, and passes the lines of its tasks on, each with its task's id; "" for what is said beside them, such as
 * that another build is waited for. turbo's own lines are passed on at the end, where no task explains a failure.
 *
 * @returns its exit code, the ids of tasks that failed, and whether the cache had all, so that nothing was run.
 */
async function runTurbo([command, args], environment, onLine) {
  const own = [];
  const earlier = summaries();
  const asJson = [...args, "--output-logs=new-only", "--json", "--summarize"];
  const code = await runByLines(command, asJson, environment, (line) => {
    const { source, text } = parsedLine(line);
    if (source === "turbo") {
      own.push(text);
    } else {
      onLine(text, source);
    }
  });
  const [file] = summaries().filter((name) => !earlier.includes(name));
  const { execution, tasks = [] } = file === undefined ? {} : readJson(join(SUMMARIES, file));
  if (file !== undefined) {
    rmSync(join(SUMMARIES, file), { force: true });
  }
  const failed = tasks.filter((task) => task.execution?.exitCode > 0).map(({ taskId }) => taskId);
  for (const text of code !== 0 && failed.length === 0 ? own : []) {
    onLine(text, "");
  }
  return { code, failed, isFromCache: execution !== undefined && execution.cached === execution.attempted };
}

function parsedLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { source: "", text: line };
  }
}

/** Runs a step of turbo, and says what it is and how it ended; its lines are shown where it fails. */
async function runStep(name, turbo, environment) {
  const startedAt = performance.now();
  const line = movingLine(process.stderr);
  const lines = [];
  line.show(`${name} ...`);
  if (!line.moves) {
    console.error(`${name} ...`);
  }
  const { code, failed, isFromCache } = await runTurbo(turbo, environment, (text, task) => {
    line.show(`${name}: ${text}`);
    if (line.moves || task !== "") {
      lines.push({ text, task });
    } else {
      console.error(text);
    }
  });
  line.clear();
  if (code !== 0) {
    const ofFailed = lines.filter(({ task }) => failed.includes(task));
    for (const { text, task } of ofFailed.length > 0 ? ofFailed : lines) {
      console.error(task === "" ? text : `${task}: ${text}`);
    }
    console.error(`${name}: failed`);
    return code;
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const how = isFromCache ? "from the cache, nothing was run" : `done in ${seconds} s`;
  console.error(`${name}: ${how}`);
  return code;
}

/** The lines by which turbo and pnpm begin a task. Nothing but their text tells them from the task's own. */
const OPENING = /^(?:cache (?:miss|hit|bypass)|> )/;

/** A file of tests that passed, or was skipped, and a test in it that took long. */
const PASSED = /^\s*[✓↓]/;

/** Runs the suites one after the other, and says how many tests there were on the last line. */
async function runSuites(suites, environment) {
  const counts = [];
  let code = 0;
  for (const suite of suites) {
    const log = `.turbo/turbo-${suite}.log`;
    rmSync(log, { force: true });
    code = await runSuite(suite, environment);
    const text = existsSync(log) ? readFileSync(log, "utf8") : "";
    const closing = text.match(/^\d+ passed, \d+ failed, \d+ skipped$/gm)?.at(-1);
    // Passed, failed and skipped; undefined where the suite did not come to its closing line.
    counts.push(closing?.match(/\d+/g).map(Number));
    if (code !== 0) {
      break;
    }
  }
  if (counts.includes(undefined)) {
    console.log("The tests did not end.");
    return code;
  }
  const total = (index) => counts.reduce((sum, suite) => sum + suite[index], 0);
  console.log(`${total(0)} passed, ${total(1)} failed, ${total(2)} skipped`);
  return code;
}

/** Runs one suite: what passed moves by on a terminal, and all else stands. Elsewhere each line stands. */
async function runSuite(suite, environment) {
  const line = movingLine(process.stdout);
  const name = suite === "vitest" ? "tests" : "long tests";
  line.show(`${name} ...`);
  if (!line.moves) {
    console.log(`${name} ...`);
  }
  const turbo = ["turbo", ["run", `//#${suite}`]];
  const { code, isFromCache } = await runTurbo(turbo, environment, (text) => {
    if (OPENING.test(text)) {
      return;
    }
    if (line.moves && PASSED.test(text)) {
      line.show(`${name}: ${text.trim()}`);
      return;
    }
    line.clear();
    console.log(text);
  });
  line.clear();
  if (isFromCache) {
    console.log(`${name}: passed before in this state; from the cache, nothing was run`);
  }
  return code;
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
  const packages = folders.map((folder) => readJson(join(folder, "package.json")));
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

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
