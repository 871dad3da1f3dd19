// The runs that a gallery is to show: each once, whatever folders they were found in.
import { createHash } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isThere, systemReason } from "@evenbench/core/user-file";
import { LOAD_FILE, ResultsError, RUN_FILE, type Run, readRunRecord, SAMPLES_FILE } from "@evenbench/results";
import { ENDINGS } from "../words/head.ts";
import { RUNS_FOLDER, SAFE_NAME } from "./folder.ts";

/** A run that was found. There may be hundreds: its record is read again when it is shown. */
interface FoundRun {
  readonly run: Pick<Run, "id" | "startedAt">;
  /** The same for equal records in several folders. */
  readonly fingerprint: string;
  readonly folder: string;
}

/** A run that is to be shown, which may have been found in several folders. */
export interface ShownRun {
  /** Name of the run's folder in the gallery. */
  readonly name: string;
  /** Folders of the run, those with samples first: their numbers are made by this version. */
  readonly folders: readonly string[];
}

/** The runs that were found. */
export interface FoundRuns {
  /** Each run once, oldest first. */
  readonly runs: readonly ShownRun[];
  /** Folders that are left out, and why: a sentence each. */
  readonly skipped: readonly string[];
}

/**
 * Finds the runs of some folders.
 *
 * @param given results folders, folders of runs, and galleries.
 * @param gallery folder of the gallery that is made: its runs stay in it.
 * @throws {ResultsError} where a folder has no run, or cannot be read.
 */
export async function findRuns(given: readonly string[], gallery: string): Promise<FoundRuns> {
  const named = (await Promise.all(given.map(foldersIn))).flat();
  const own = await galleryRunsIn(gallery);
  const found: FoundRun[] = [];
  const skipped: string[] = [];
  for (const folder of new Set([...named, ...own])) {
    try {
      found.push(await readShown(folder));
    } catch (error) {
      skipped.push(`${basename(folder)}: ${messageOf(error)}`);
    }
  }
  const measured = found.filter(({ folder }) => !own.includes(folder));
  return { runs: namedRuns(found), skipped: [...skipped, ...copiesAmong(measured)] };
}

/** Gives the words of an error of a folder. @throws {unknown} any other error. */
export function messageOf(error: unknown): string {
  if (error instanceof ResultsError) {
    return error.message;
  }
  throw error;
}

/** Lists the folders of runs in what a user named. @throws {ResultsError} where there is none. */
async function foldersIn(given: string): Promise<readonly string[]> {
  // Whoever names a link means what it leads to; links within it are another's.
  const folder = await realpath(given).catch(() => resolve(given));
  if (existsSync(join(folder, RUN_FILE))) {
    return [folder];
  }
  const found = [...(await runsIn(folder)), ...(await galleryRunsIn(folder))];
  if (found.length > 0) {
    return found;
  }
  if (existsSync(join(folder, LOAD_FILE))) {
    throw new ResultsError(
      `${given} is a load, whose page lies in its folder. A gallery shows the loads that lie in the folder of a run.`,
    );
  }
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

/** Lists the folders of runs in a results folder, in no order of time: a folder may have any name. */
async function runsIn(results: string): Promise<readonly string[]> {
  const names = await readdir(results).catch((error) => {
    throw new ResultsError(`${results} cannot be read (${systemReason(error)}). Give a results folder.`);
  });
  return names
    .sort()
    .map((name) => join(results, name))
    .filter(mayHaveRun);
}

/** Tells whether a folder has the record of a run, or may not be looked into: reading it then says why. */
function mayHaveRun(folder: string): boolean {
  try {
    return isThere(join(folder, RUN_FILE));
  } catch {
    return true;
  }
}

/** Lists the folders of runs in a gallery; empty where it is none. */
async function galleryRunsIn(site: string): Promise<readonly string[]> {
  const runs = join(await realpath(site).catch(() => resolve(site)), RUNS_FOLDER);
  return lstatSync(runs, { throwIfNoEntry: false })?.isDirectory() ? runsIn(runs) : [];
}

/** Number of an id's letters that are shown: one that is refused may have any length. */
const ID_SHOWN = 80;

/** Reads the record of a run that is to be shown. @throws {ResultsError} where it cannot be. */
async function readShown(folder: string): Promise<FoundRun> {
  if ((await lstat(folder)).isSymbolicLink()) {
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  }
  const run = await readRunRecord(folder);
  const ending = ENDINGS[run.status];
  if (ending !== null) {
    throw new ResultsError(`${ending}.`);
  }
  if (run.vantages !== undefined) {
    throw new ResultsError("It was measured from several places, and their routes are in its times.");
  }
  const unsafe = [run.id, ...run.plan.cases.map(({ id }) => id)].find((name) => !SAFE_NAME.test(name));
  if (unsafe !== undefined) {
    throw new ResultsError(`The id "${unsafe.slice(0, ID_SHOWN)}" cannot be the name of a file.`);
  }
  return { run: { id: run.id, startedAt: run.startedAt }, fingerprint: fingerprintOf(run), folder };
}

/** Computes what tells two runs of one id apart: the same in a run's folder and in a gallery, which has not all lists. */
function fingerprintOf({ id, startedAt, samples, plan, machine, source, identities }: Run): string {
  const core = JSON.stringify({ id, startedAt, samples, plan, machine, source, identities });
  return createHash("sha256").update(core).digest("hex");
}

/** Says which folders have a run that another one has, too: it is counted once. */
function copiesAmong(found: readonly FoundRun[]): readonly string[] {
  return [...Map.groupBy(found, ({ fingerprint }) => fingerprint).values()].flatMap(([first, ...copies]) =>
    copies.map(
      ({ folder }) => `${basename(folder)}: a copy of the run in ${first?.folder}, which is counted once.`,
    ),
  );
}

const LETTERS_OF_FINGERPRINT = 8;

/** Names each run once, oldest first; of several with one id all but the first have a longer name. */
function namedRuns(all: readonly FoundRun[]): readonly ShownRun[] {
  const hasSamples = ({ folder }: FoundRun): boolean => existsSync(join(folder, SAMPLES_FILE));
  const groups = [...Map.groupBy(all, ({ fingerprint }) => fingerprint)];
  const named: ShownRun[] = [];
  const taken = new Set<string>();
  const order = ([fingerprint, [first]]: (typeof groups)[number]): string =>
    `${new Date(first?.run.startedAt ?? 0).toISOString()} ${first?.run.id} ${fingerprint}`;
  for (const [fingerprint, found] of groups.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const [first] = found;
    if (first === undefined) {
      continue;
    }
    const { run } = first;
    // Some systems take names that differ in capital letters for one.
    const isTaken = taken.has(run.id.toLowerCase());
    const name = isTaken ? `${run.id}-${fingerprint.slice(0, LETTERS_OF_FINGERPRINT)}` : run.id;
    taken.add(name.toLowerCase());
    const withSamples = found.filter(hasSamples);
    const without = found.filter((one) => !hasSamples(one));
    named.push({ name, folders: [...withSamples, ...without].map(({ folder }) => folder) });
  }
  return named;
}
