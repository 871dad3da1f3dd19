import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
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
  const earlier = summaries();
  const words = [
    "--continue",
    "--output-logs=new-only",
    "--json",
    "--summarize",
    ...(clean ? ["--force"] : []),
  ];
  const { failure: failed, output } = await runTurbo(targets, words, (text) => {
    const line = linesIn(text).at(-1);
    if (line !== undefined) {
      show({ text: `Building: ${stripVTControlCharacters(line.text)}`, key: null });
    }
  });
  clear();
  const ended = takeSummary(earlier);
  const failures = new Map<string, BuildFailure>();
  for (const { deployable } of targets) {
    const failure = await readBuildFailure(deployable);
    if (failure !== null) {
      failures.set(deployable, failure);
    }
  }
  const failedTasks = (ended?.tasks ?? []).filter(({ execution }) => (execution?.exitCode ?? 0) > 0);
  const summary = linesOf(failedTasks, linesIn(output)).slice(-60).join("\n") || `turbo ${failed}`;
  const leftOut = await readLeftOut();
  const explained = targets.filter(({ deployable }) => failures.has(deployable)).map(taskOf);
  if (leftOut.length > 0) {
    explained.push(ARTIFACT_TASK);
  }
  if (failed === null && ended !== null) {
    sayNote(describeCache(ended.execution));
  }
  const isKnown = failedTasks.length > 0 && failedTasks.every(({ taskId }) => explained.includes(taskId));
  return { summary, failures, leftOut, brokenBelow: failed !== null && !isKnown };
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

/** Folder in which turbo leaves what became of each task, a file for each run. */
const SUMMARIES = join(repositoryRoot, ".turbo/runs");

function summaries(): readonly string[] {
  return existsSync(SUMMARIES) ? readdirSync(SUMMARIES) : [];
}

/** Schema of what turbo says of a run. */
const runSummary = z.looseObject({
  execution: z.looseObject({ cached: z.number(), attempted: z.number() }),
  tasks: z.array(
    z.looseObject({
      taskId: z.string(),
      execution: z.looseObject({ exitCode: z.number().nullish() }).nullish(),
    }),
  ),
});

type RunSummary = z.infer<typeof runSummary>;

/** Reads what turbo says of a run, and removes it; null where it says nothing. @param earlier names of what was there. */
function takeSummary(earlier: readonly string[]): RunSummary | null {
  const [name] = summaries().filter((each) => !earlier.includes(each));
  if (name === undefined) {
    return null;
  }
  const file = join(SUMMARIES, name);
  const summary = runSummary.safeParse(parseJson(readFileSync(file, "utf8")));
  rmSync(file, { force: true });
  return summary.data ?? null;
}

/** Schema of a line of turbo's output. */
const outputLine = z.looseObject({ source: z.string(), text: z.string() });

/** A line of a task's output; its source is the task's id, or "turbo". */
type OutputLine = z.infer<typeof outputLine>;

function linesIn(output: string): readonly OutputLine[] {
  return output.split("\n").flatMap((line) => outputLine.safeParse(parseJson(line)).data ?? []);
}

/** Gives the lines of tasks, with their tasks; all lines where these have none. */
function linesOf(tasks: RunSummary["tasks"], lines: readonly OutputLine[]): readonly string[] {
  const found = lines.filter(({ source }) => tasks.some(({ taskId }) => taskId === source));
  return (found.length > 0 ? found : lines).map(({ source, text }) => `${source}: ${text}`);
}

/** Says how much of a build the cache had. */
function describeCache({ cached, attempted }: RunSummary["execution"]): string {
  if (cached === attempted) {
    return "All is built: from the cache, nothing was run.";
  }
  const built = `Built: ${attempted - cached} of ${attempted}`;
  return cached === 0 ? `${built}.` : `${built}, the others from the cache.`;
}
