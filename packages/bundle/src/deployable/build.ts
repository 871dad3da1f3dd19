import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import {
  type BuildFailure,
  type BuildRecord,
  type BuildStep,
  messageOf,
  type Platform,
} from "@evenbench/core";
import { discoverPlatforms, type LeftOut, repositoryRoot } from "@evenbench/host";
import { runStep, StepFailed, type StepOptions } from "./run-step.ts";
import { forgetSourceMaps } from "./source-maps.ts";

export type { StepOptions };

export interface BuildTask {
  readonly app: string;
  readonly platform: string;
  /** Absolute path of the deployable's folder. Removed before the build. */
  readonly deployable: string;
}

export interface Build {
  run(name: string, command: readonly [file: string, ...args: string[]], options: StepOptions): Promise<void>;
  step(name: string, work: () => Promise<void>): Promise<void>;
}

/** What `buildDeployable` of a platform's build.ts is given: the artifact of handler cases is put on the platform. */
export interface BundleBuild {
  readonly artifactDirectory: string;
  readonly outDirectory: string;
  /** Where steps are recorded; default: nowhere. */
  readonly record?: Build;
}

/**
 * Runs commands and records nothing: for builds that only a test needs. Output is in the error of a command
 * that fails.
 */
export const unrecorded: Build = {
  async run(name, command, options) {
    await runStep(name, command, null, options);
  },
  step: (_name, work) => work(),
};

/**
 * Builds a deployable, closes it to strangers, and leaves beside it how that went: the time and memory of
 * each step, and the size as the platform counts it; or, when it failed, which step, the end of its output
 * and where all of it is.
 */
export async function recordBuild(task: BuildTask, work: (build: Build) => Promise<void>): Promise<boolean> {
  const { app, platform, deployable } = task;
  const logFile = `${deployable}.log`;
  await Promise.all([forgetBuild(deployable), rm(deployable, { recursive: true, force: true })]);
  await mkdir(dirname(deployable), { recursive: true });
  await writeFile(logFile, "");
  const steps: BuildStep[] = [];
  let current = "prepare";
  try {
    await work({
      async run(name, command, options) {
        current = name;
        steps.push(await runStep(name, command, logFile, options));
      },
      async step(name, inProcess) {
        current = name;
        const begun = performance.now();
        await inProcess();
        steps.push({ name, ms: performance.now() - begun, peakResidentBytes: null });
      },
    });
    current = "close";
    const found = await findPlatform(platform);
    await found.close(deployable);
    current = "size";
    await writeBuildRecord(deployable, { steps, size: await found.size(deployable) });
    return true;
  } catch (error) {
    const lastLines = error instanceof StepFailed ? error.lastLines : [String(error)];
    const failure = {
      what: `${app} for ${platform}`,
      step: current,
      lastLines,
      logFile: relative(repositoryRoot, logFile),
    };
    await writeBuildFailure(deployable, failure);
    console.error(`${failure.what}: ${messageOf(error)}`);
    return false;
  }
}

/** Of the other platforms none matters, loadable or not. */
async function findPlatform(id: string): Promise<Platform> {
  const leftOut: LeftOut[] = [];
  const platforms = await discoverPlatforms(repositoryRoot, (one) => leftOut.push(one));
  const found = platforms.find((platform) => platform.id === id);
  if (found !== undefined) return found;
  const broken = leftOut.find(({ path }) => path === join("apps", id, "platform.ts"));
  throw new Error(broken?.reason ?? `There is no platform "${id}".`);
}

const recordFile = (deployable: string) => `${deployable}.build.json`;
const failureFile = (deployable: string) => `${deployable}.failed.json`;

/** How the deployable in a folder was made; null where that was not recorded. */
export function readBuildRecord(deployable: string): Promise<BuildRecord | null> {
  return readJson(recordFile(deployable));
}

/** Why the last build of the deployable failed; null where it did not. */
export function readBuildFailure(deployable: string): Promise<BuildFailure | null> {
  return readJson(failureFile(deployable));
}

/** To be called before a build whose failure matters: a cached build does not run, and leaves the file as it was. */
export async function forgetFailure(deployable: string): Promise<void> {
  await rm(failureFile(deployable), { force: true });
}

async function writeBuildRecord(deployable: string, record: BuildRecord): Promise<void> {
  await writeFile(recordFile(deployable), `${JSON.stringify(record, null, 2)}\n`);
}

async function writeBuildFailure(deployable: string, failure: BuildFailure): Promise<void> {
  await writeFile(failureFile(deployable), `${JSON.stringify(failure, null, 2)}\n`);
}

export async function forgetBuild(deployable: string): Promise<void> {
  await Promise.all([
    forgetFailure(deployable),
    forgetSourceMaps(deployable),
    rm(recordFile(deployable), { force: true }),
  ]);
}

async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
