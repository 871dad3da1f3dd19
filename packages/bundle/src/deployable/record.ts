// A build leaves one of two files beside its deployable: how it went, or why it failed.
import { readFile, rm, writeFile } from "node:fs/promises";
import type { BuildFailure, BuildRecord } from "@evenbench/core";
import { forgetSourceMaps } from "./source-maps.ts";

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

export async function writeBuildRecord(deployable: string, record: BuildRecord): Promise<void> {
  await writeFile(recordFile(deployable), `${JSON.stringify(record, null, 2)}\n`);
}

export async function writeBuildFailure(deployable: string, failure: BuildFailure): Promise<void> {
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
