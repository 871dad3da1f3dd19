import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join, relative, sep } from "node:path";
import { type CaseFailure, forgetLeftOut, readLeftOut } from "@evenbench/bundle";
import { forgetFailure, readBuildFailure } from "@evenbench/bundle/deployable";
import { type BuildFailure, UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import type { LocalTarget } from "@evenbench/runner";

/** Fails when it has to leave a case out; what is made of its artifact is built all the same. */
const ARTIFACT_TASK = "@evenbench/bundle#build";

export interface BuildResult {
  /** turbo's own last words: the summary of tasks and cache hits, or the end of what failed. */
  readonly summary: string;
  readonly failures: ReadonlyMap<string, BuildFailure>;
  /** What could not become a case. The artifact holds the others. */
  readonly leftOut: readonly CaseFailure[];
  /** Whether something else failed, which these deployables are made of. */
  readonly brokenBelow: boolean;
}

export class BuildError extends UserError {}

/**
 * Builds the deployables of targets, with everything they depend on, through turbo's cache. One that fails
 * does not stop the others, and neither does a case.
 */
export async function build(targets: readonly LocalTarget[], clean = false): Promise<BuildResult> {
  // A build that comes from the cache does not run, and would leave the note of an older failure.
  await Promise.all([forgetLeftOut(), ...targets.map(({ deployable }) => forgetFailure(deployable))]);
  const tasks = [...new Set(targets.map(taskOf))];
  // In front of the options: turbo takes a word behind `--force` for its value.
  const { code, lines } = await turbo([
    "run",
    ...tasks,
    "--continue",
    "--output-logs=errors-only",
    ...(clean ? ["--force"] : []),
  ]);
  const failures = new Map<string, BuildFailure>();
  for (const { deployable } of targets) {
    const failure = await readBuildFailure(deployable);
    if (failure !== null) failures.set(deployable, failure);
  }
  const summary = code === 0 ? summarise(lines) : lines.slice(-60).join("\n");
  const leftOut = await readLeftOut();
  const failedTasks = targets.filter(({ deployable }) => failures.has(deployable)).map(taskOf);
  if (leftOut.length > 0) failedTasks.push(ARTIFACT_TASK);
  const known = failedTasks.length > 0 && failedOnly(lines, failedTasks);
  return { summary, failures, leftOut, brokenBelow: code !== 0 && !known };
}

async function turbo(args: readonly string[]): Promise<{ code: number; lines: string[] }> {
  const bin = join(repositoryRoot, "node_modules/.bin");
  // turbo calls pnpm by name, and the tools want the Node.js that the workspace pins.
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH };
  const child = spawn(join(bin, "turbo"), args, {
    cwd: repositoryRoot,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const keep = (chunk: Buffer): void => {
    lines.push(...chunk.toString().split("\n"));
    lines.splice(0, lines.length - 200);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, lines };
}

/** "@evenbench/app-next#build:node": a package with deployables for several platforms has a task for each. */
function taskOf({ deployable, platform }: LocalTarget): string {
  // "apps/node" of ".../apps/node/dist/deployable".
  const folder = relative(repositoryRoot, deployable).split(sep).slice(0, 2);
  const manifest: { name: string; scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(repositoryRoot, ...folder, "package.json"), "utf8"),
  );
  const own = `build:${platform.id}`;
  return `${manifest.name}#${own in manifest.scripts ? own : "build"}`;
}

/** Whether turbo's list of failed tasks names nothing but these. */
function failedOnly(lines: readonly string[], tasks: readonly string[]): boolean {
  const listed = lines.findLast((line) => /^\s*Failed:/.test(line));
  const named = listed?.match(/[\w@/.-]+#[\w:-]+/g) ?? [];
  return named.length > 0 && named.every((task) => tasks.includes(task));
}

function summarise(lines: readonly string[]): string {
  const of = (label: string): string =>
    lines
      .findLast((line) => line.includes(`${label}:`))
      ?.split(":")
      .slice(1)
      .join(":")
      .trim() ?? "?";
  return `tasks ${of("Tasks")}; cached ${of("Cached")}; ${of("Time")}`;
}
