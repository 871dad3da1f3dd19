// A build that had to leave cases out says so in a file beside the artifact of the others.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseFailure } from "./discover.ts";
import { distDirectory } from "./manifest.ts";

const fileIn = (dist: string) => join(dist, "left-out.json");

/** What the last build could not make a case of; empty where it could make one of everything. */
export async function readLeftOut(dist: string = distDirectory): Promise<readonly CaseFailure[]> {
  try {
    return JSON.parse(await readFile(fileIn(dist), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** To be called before a build whose failures matter: a cached build does not run, and leaves the file as it was. */
export async function forgetLeftOut(dist: string = distDirectory): Promise<void> {
  await rm(fileIn(dist), { force: true });
}

export async function noteLeftOut(failures: readonly CaseFailure[], dist: string): Promise<void> {
  if (failures.length === 0) await forgetLeftOut(dist);
  else await writeFile(fileIn(dist), `${JSON.stringify(failures, null, 2)}\n`);
}
