import { readFileSync } from "node:fs";
import { delimiter, join, relative, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { readLeftOut } from "@evenbench/bundle";
import { forgetFailure, readBuildFailure, readBuiltSources } from "@evenbench/bundle/deployable";
import { type BuildFailure, parseJson, quotedLines, UserError, withQuotes } from "@evenbench/core";
import { type LeftOut, repositoryRoot, runProgram, toolEnvironment } from "@evenbench/host";
import type { LocalTarget, MissingTarget, Target } from "@evenbench/runner";
import * as z from "zod";
import { underBuildLock } from "./build-lock.ts";
import { orInterrupted } from "./exit.ts";
import { progressDisplay } from "./progress.ts";
import { sayNote } from "./say.ts";

/** Builds targets. Those, and cases, that cannot be built are named on stderr and left out; so are older builds, which are not left out. */
export async function buildTargets(
  targets: readonly Target[],
  options: { readonly build: boolean; readonly clean?: boolean },
) {
  const local = targets.filter((target) => target.place === "local");
  const nothing = { targets, missing: [] as const, casesLeftOut: false, outdated: [] as const };
  if (local.length === 0) {
    return nothing;
  }
  if (!options.build) {
    const outdated = await builtOfOthers(local);
    for (const name of outdated) {
      sayNote(
        `! ${name} was built of other sources than lie here. Leave --no-build out, and it is built anew.`,
      );
    }
    return { ...nothing, outdated };
  }
  sayNote("Building what is not built yet ...");
  const { failures, leftOut, summary, brokenBelow } = await build(local, options.clean);
  if (brokenBelow) {
    throw new UserError(`The build failed. The end of its output:\n${summary}`);
  }
  const missing = local.flatMap(({ name, deployable }): MissingTarget[] => {
    const failure = failures.get(deployable);
    return failure === undefined ? [] : [missingOf(name, failure)];
  });
  for (const { detail: message, quotes } of missing) {
    sayNote(`! ${withQuotes({ message, quotes })}`);
  }
  for (const { path, reason } of leftOut) {
    sayNote(`! ${relative(repositoryRoot, path)} is left out: ${reason}`);
  }
  if (missing.length === targets.length) {
    throw new UserError("No target could be built. Fix what the lines above name, and start again.");
  }
  const built = targets.filter((target) => !missing.some(({ name }) => name === target.name));
  return { targets: built, missing, casesLeftOut: leftOut.length > 0, outdated: [] as const };
}

function missingOf(name: string, { what, step, lastLines, logFile }: BuildFailure): MissingTarget {
  const detail = `${name} is left out: building ${what} failed in the step "${step}". All of its output is in ${logFile}.`;
  return { name, detail, quotes: [quotedLines("Its last lines:", lastLines)] };
}

/** The task of the artifact. It fails when it leaves a case out; what is made of its artifact is built all the same. */
const ARTIFACT_TASK = "@evenbench/bundle#build";

/** The result of a build. */
export interface BuildOutcome {
  /** The end of turbo's output, for where the build is broken below all targets. */
  readonly summary: string;
  /** Failures of builds, by the folder of the deployable that each was to make. */
  readonly failures: ReadonlyMap<string, BuildFailure>;
  /** Cases that are not in the artifact, with their reasons. */
  readonly leftOut: readonly LeftOut[];
  /** True where something failed that is neither a target nor a case. */
  readonly brokenBelow: boolean;
}

/** Builds deployables through turbo's cache, one build of a clone at a time. One that fails stops no other. */
function build(targets: readonly LocalTarget[], clean = false): Promise<BuildOutcome> {
  return orInterrupted(
    (signal) => underBuildLock(() => buildLocked(targets, clean), signal),
    "Interrupted while it was building.",
  );
}

async function buildLocked(targets: readonly LocalTarget[], clean: boolean): Promise<BuildOutcome> {
  // A build that comes from the cache does not run, and would leave the note of an older failure.
  await Promise.all(targets.map(({ deployable }) => forgetFailure(deployable)));
  const { show, clear } = progressDisplay();
  const words = ["--continue", "--output-logs=new-only", ...(clean ? ["--force"] : [])];
  const { failure: failed, output } = await runTurbo(targets, words, (text) => {
    const line = text.trimEnd().split("\n").at(-1) ?? "";
    show({ text: `Building: ${stripVTControlCharacters(line)}`, key: null });
  });
  clear();
  const lines = output.split("\n");
  const failures = new Map<string, BuildFailure>();
  for (const { deployable } of targets) {
    const failure = await readBuildFailure(deployable);
    if (failure !== null) {
      failures.set(deployable, failure);
    }
  }
  const summary = linesOfFailed(lines).slice(-60).join("\n") || `turbo ${failed}`;
  const leftOut = await readLeftOut();
  const failedTasks = targets.filter(({ deployable }) => failures.has(deployable)).map(taskOf);
  if (leftOut.length > 0) {
    failedTasks.push(ARTIFACT_TASK);
  }
  const ofCache = failed === null ? describeCache(output) : null;
  if (ofCache !== null) {
    sayNote(ofCache);
  }
  const known = failedTasks.length > 0 && failedOnly(lines, failedTasks);
  return { summary, failures, leftOut, brokenBelow: failed !== null && !known };
}

/** Runs turbo on the tasks of targets in a checkout of the repository. */
function runTurbo(
  targets: readonly LocalTarget[],
  words: readonly string[],
  onOutput: (text: string) => void = () => {},
  root = repositoryRoot,
) {
  const bin = join(root, "node_modules/.bin");
  return runProgram({
    // In front of the options: turbo takes a word behind `--force` for its value.
    command: [join(bin, "turbo"), "run", ...new Set(targets.map(taskOf)), ...words],
    cwd: root,
    // turbo calls pnpm by name, and the tools want the Node.js that the workspace pins.
    env: toolEnvironment({ PATH: bin + delimiter + process.env.PATH }),
    onOutput,
  });
}

/** Schema of what turbo says of tasks that it does not run. */
const dryRun = z.looseObject({ tasks: z.array(z.looseObject({ taskId: z.string(), hash: z.string() })) });

/**
 * Names the targets whose last build was made of other sources than lie in their checkout. A build that says nothing of
 * its sources is not named.
 */
export async function builtOfOthers(
  targets: readonly LocalTarget[],
  root = repositoryRoot,
): Promise<readonly string[]> {
  const { stdout } = await runTurbo(targets, ["--dry=json"], () => {}, root);
  const { tasks = [] } = dryRun.safeParse(parseJson(stdout)).data ?? {};
  const hashes = new Map(tasks.map(({ taskId, hash }) => [taskId, hash]));
  const outdated: string[] = [];
  for (const target of targets) {
    const built = await readBuiltSources(join(root, relative(repositoryRoot, target.deployable)));
    const lies = hashes.get(taskOf(target));
    if (built !== null && lies !== undefined && built !== lies) {
      outdated.push(target.name);
    }
  }
  return outdated;
}

/** Names the task of a target: "@evenbench/app-next#build:node", or the package's only one. */
function taskOf(target: LocalTarget): string {
  const { name, scripts } = buildPackageOf(target);
  const task = `build:${target.platform.id}`;
  return `${name}#${task in scripts ? task : "build"}`;
}

interface BuildPackage {
  /** The path of the folder, from the repository's root on. */
  readonly folder: string;
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
}

/** Reads the package that builds a target. */
export function buildPackageOf({ deployable }: LocalTarget): BuildPackage {
  const folder = relative(repositoryRoot, deployable).split(sep).slice(0, 2).join(sep);
  return { folder, ...JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) };
}

function failedOnly(lines: readonly string[], tasks: readonly string[]): boolean {
  const named = failedTasksIn(lines);
  return named.length > 0 && named.every((task) => tasks.includes(task));
}

/** The tasks that turbo names as failed at its end. */
function failedTasksIn(lines: readonly string[]): readonly string[] {
  const listed = lines.findLast((line) => /^\s*Failed:/.test(line));
  return listed?.match(/[\w@/.-]+#[\w:-]+/g) ?? [];
}

/** The lines of the tasks that failed, by which turbo puts their name; all lines where it names none. */
function linesOfFailed(lines: readonly string[]): readonly string[] {
  const prefixes = failedTasksIn(lines).map((task) => `${task.replace("#", ":")}: `);
  const found = lines.filter((line) => prefixes.some((prefix) => line.startsWith(prefix)));
  return found.length === 0 ? lines : found;
}

/** Says how much of a build the cache had, by turbo's summary; null where that says nothing. */
function describeCache(output: string): string | null {
  const [, cached, all] = /^\s*Cached:\s+(\d+) cached, (\d+) total/m.exec(output) ?? [];
  if (cached === undefined || all === undefined) {
    return null;
  }
  if (cached === all) {
    return "All is built: from the cache, nothing was run.";
  }
  const built = `Built: ${Number(all) - Number(cached)} of ${all}`;
  return cached === "0" ? `${built}.` : `${built}, the others from the cache.`;
}
