import { createHash } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { lstat, realpath, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import {
  makeResultsFolder,
  ResultsError,
  RUN_FILE,
  type Run,
  type RunSummary,
  readRunRecord,
  readSummary,
  SAMPLES_FILE,
  SUMMARY_FILE,
  summarySchema,
  writeWhole,
} from "@evenbench/results";
import { objectionsTo, readEach, runsIn } from "../across/series.ts";
import { analyseFolder, type FolderOptions } from "../analyse-run.ts";
import { drawSvg } from "../card/card.ts";
import { PictureThreads } from "../card/draw-pictures.ts";
import { makeFacts } from "../facts/make-facts.ts";
import { card } from "../media/card.ts";
import { page } from "../media/page/page.ts";
import { CARD_FILE, placeOf, REPORT_FILE } from "../names.ts";
import { summaryOf } from "../summary.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { type Contributions, readContributions } from "./contributed.ts";
import {
  assertGallery,
  CASES_FOLDER,
  FEED_FILE,
  INDEX_FILE,
  prepareGallery,
  RUNS_FOLDER,
  removeOthers,
  SAFE_NAME,
} from "./folder.ts";
import type { GalleryRun } from "./histories.ts";
import { numbersCard, renderNumbers } from "./numbers.ts";
import { sitePages } from "./pages.ts";

/** Number of runs that are drawn and written at a time: enough for each thread to have its next picture at hand. */
const MOST_RUNS_AT_ONCE = 8;

/** Options with which a gallery is made. */
export interface SiteOptions extends FolderOptions {
  /** Number of runs, the newest ones, that have a report; of older ones the numbers stay. Default: all. */
  readonly keep?: number;
  /**
   * The address where it is published, https and with a slash at its end. Previews of links need it: without one there
   * is no feed, and no report has a picture. Default: none.
   */
  readonly baseUrl?: string;
  /** Folder with summaries of other machines, as their owners sent them. Default: none. */
  readonly contributed?: string;
  /** Ends it early, between two files. */
  readonly signal?: AbortSignal;
}

/** A gallery that was made. */
export interface Site {
  /** Path of its first page. */
  readonly indexFile: string;
  /** Number of its runs. */
  readonly runs: number;
  /** Runs that are left out, and why: a sentence each. */
  readonly skipped: readonly string[];
}

/** A run that was found. There may be hundreds: its record is read again when it is shown. */
interface FoundRun {
  readonly run: Pick<Run, "id" | "startedAt">;
  /** The same for equal records in several folders. */
  readonly fingerprint: string;
  readonly folder: string;
}

/** A run that is to be shown, which may have been found in several folders. */
interface ShownRun {
  /** Name of the run's folder in the gallery. */
  readonly name: string;
  /** Folders of the run, those with samples first: their numbers are made by this version. */
  readonly folders: readonly string[];
}

/**
 * Makes a gallery of some runs, or makes one anew. Reports and pictures are made from samples, or from a summary where
 * these are gone: no page or picture is ever copied, since it may be anybody's. Runs of a gallery in the
 * folder stay in it.
 *
 * @param given results folders, folders of runs, and galleries.
 * @param out folder of the gallery.
 * @throws {UserError} when there is no run, the folder has something else in it, the address is not https, or
 * it is stopped.
 * @throws {ResultsError} when a folder cannot be read or written.
 */
export async function createSite(
  given: readonly string[],
  out: string,
  options: SiteOptions = {},
): Promise<Site> {
  const { signal } = options;
  const base = options.baseUrl ?? null;
  await assertGallery(out);
  const folders = (await Promise.all([...given.map(foldersIn), galleryRunsIn(out)])).flat();
  const found = await readEach([...new Set(folders)], readShown);
  const { contributed } = options;
  const others =
    contributed === undefined ? NO_CONTRIBUTIONS : await readContributions(contributed, Date.now());
  const skipped = [...found.skipped, ...others.skipped];
  const newestFirst = namedRuns(found.runs).toReversed();
  if (newestFirst.length === 0) {
    throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  }
  await prepareGallery(out);
  const runs = await writeRuns(newestFirst, out, options, skipped);
  if (runs.length === 0) {
    throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  }
  const pages = sitePages({ newestFirst: runs, contributions: others.accepted, base });
  for (const { file, content } of pages) {
    if (signal?.aborted) {
      throw new UserError("The gallery is not complete.");
    }
    await writeWhole(join(out, file), content);
  }
  if (base === null) {
    // The one of an earlier address would be stale.
    await rm(join(out, FEED_FILE), { force: true });
  }
  const casePages = pages.map(({ file }) => file).filter((file) => file.startsWith(`${CASES_FOLDER}/`));
  const names = runs.map(({ name }) => name);
  await removeOthers(out, casePages, names);
  return { indexFile: join(out, INDEX_FILE), runs: runs.length, skipped };
}

/**
 * Writes the folders of a gallery's runs. While a run is made, those before it are drawn and written.
 *
 * @param skipped takes the reasons for runs that cannot be shown, as sentences.
 * @returns the runs that have a folder, in the same order.
 * @throws {UserError} when it is stopped, or a picture cannot be drawn: what was begun is written before.
 */
async function writeRuns(
  newestFirst: readonly ShownRun[],
  out: string,
  options: SiteOptions,
  skipped: string[],
): Promise<readonly GalleryRun[]> {
  const { keep = Number.POSITIVE_INFINITY, baseUrl, signal } = options;
  const runs: GalleryRun[] = [];
  await using threads = new PictureThreads();
  await using writing = new BackgroundTasks(MOST_RUNS_AT_ONCE);
  for (const shown of newestFirst) {
    if (signal?.aborted) {
      throw new UserError("The gallery is not complete.");
    }
    const hasReport = runs.length < keep;
    const runFolder = join(out, RUNS_FOLDER, shown.name);
    const folderUrl = baseUrl === undefined ? null : `${baseUrl}${RUNS_FOLDER}/${shown.name}/`;
    const problems: string[] = [];
    const made = await firstMade(shown, problems, (folder) => makeRun(folder, hasReport, folderUrl, options));
    if (made === null) {
      skipped.push(...problems);
      continue;
    }
    await writing.start(() => writeRunFolder(runFolder, made, threads));
    runs.push({ run: withoutLists(made.run), summary: made.summary, name: shown.name, hasReport });
  }
  await writing.end();
  return runs;
}

const NO_CONTRIBUTIONS: Contributions = { accepted: [], skipped: [] };

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
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

/** Lists the folders of runs in a gallery; empty where it is none. */
async function galleryRunsIn(site: string): Promise<readonly string[]> {
  const runs = join(await realpath(site).catch(() => resolve(site)), RUNS_FOLDER);
  return lstatSync(runs, { throwIfNoEntry: false })?.isDirectory() ? runsIn(runs) : [];
}

/** Reads the record of a run that is to be shown. @throws {ResultsError} where it cannot be. */
async function readShown(folder: string): Promise<FoundRun> {
  if ((await lstat(folder)).isSymbolicLink()) {
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  }
  const run = await readRunRecord(folder);
  const objections = objectionsTo(run);
  if (objections.length > 0) {
    throw new ResultsError(objections.join(" "));
  }
  const unsafe = [run.id, ...run.plan.cases.map(({ id }) => id)].find((name) => !SAFE_NAME.test(name));
  if (unsafe !== undefined) {
    throw new ResultsError(`The id "${unsafe}" cannot be the name of a file.`);
  }
  return { run: { id: run.id, startedAt: run.startedAt }, fingerprint: fingerprintOf(run), folder };
}

/**
 * Computes what tells two runs of one id apart. It is the same in a run's own folder and in a gallery, which
 * has not all lists.
 */
function fingerprintOf({ id, startedAt, samples, plan, machine, source, identities }: Run): string {
  const core = JSON.stringify({ id, startedAt, samples, plan, machine, source, identities });
  return createHash("sha256").update(core).digest("hex");
}

/** Number of letters of a run's fingerprint in its name, where another run has its id. */
const LETTERS_OF_FINGERPRINT = 8;

/** Names each run once, oldest first; of several with one id all but the first have a longer name. */
function namedRuns(oldestFirst: readonly FoundRun[]): readonly ShownRun[] {
  const hasSamples = ({ folder }: FoundRun): boolean => existsSync(join(folder, SAMPLES_FILE));
  const groups = [...Map.groupBy(oldestFirst, ({ fingerprint }) => fingerprint)];
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

/** The part of one run that a gallery shows. */
interface MadeRun {
  readonly run: Run;
  readonly summary: RunSummary;
  /** The page of the report; null where only the numbers are shown. */
  readonly page: string | null;
  /** The picture as SVG; null where there is no report, or no address at which anybody could see it. */
  readonly svg: string | null;
}

/** Makes a run of the first of its folders that can be read; null, with the reasons in `problems`, where none can. */
async function firstMade(
  { folders }: ShownRun,
  problems: string[],
  make: (folder: string) => Promise<MadeRun>,
): Promise<MadeRun | null> {
  for (const folder of folders) {
    try {
      return await make(folder);
    } catch (error) {
      if (!(error instanceof ResultsError)) {
        throw error;
      }
      problems.push(`${basename(folder)}: ${error.message}`);
    }
  }
  return null;
}

/** Makes what a gallery shows of a run: from its samples, or from its summary where these are gone. */
async function makeRun(
  folder: string,
  hasReport: boolean,
  folderUrl: string | null,
  given: FolderOptions,
): Promise<MadeRun> {
  const isSampled = existsSync(join(folder, SAMPLES_FILE));
  const isSummarised = existsSync(join(folder, SUMMARY_FILE));
  if (!isSampled || (!hasReport && isSummarised)) {
    return makeFromSummary(folder, hasReport, folderUrl);
  }
  const { data, damage, damages } = await analyseFolder(folder, given);
  // The order of its fields is that of the schema: read again, it is the same bytes.
  const summary = summarySchema.parse(summaryOf(data, damage));
  assertShown(summary);
  if (!hasReport) {
    return { run: data.run, summary, page: null, svg: null };
  }
  const hasCard = folderUrl !== null;
  const { facts, details } = makeFacts(data, damages);
  return {
    run: data.run,
    summary,
    page: page(facts, details, { folderUrl, back: `../../${INDEX_FILE}`, hasCard }),
    svg: hasCard ? card(facts) : null,
  };
}

/** Makes what a gallery shows of a run from its summary. */
async function makeFromSummary(
  folder: string,
  hasReport: boolean,
  folderUrl: string | null,
): Promise<MadeRun> {
  const read = await readSummary(folder);
  const { run } = read;
  // Where it was measured is in its record: a summary can say anything.
  const summary = { ...read.summary, place: placeOf(run) };
  assertShown(summary);
  if (!hasReport) {
    return { run, summary, page: null, svg: null };
  }
  const numbers = renderNumbers({ run, summary }, folderUrl);
  const svg = folderUrl === null ? null : drawSvg(numbersCard({ run, summary }));
  return { run, summary, page: numbers, svg };
}

/** Refuses a summary that says nothing. @throws {ResultsError} */
function assertShown({ damage, rows }: RunSummary): void {
  if (damage !== null) {
    throw new ResultsError(damage);
  }
  if (rows.length === 0) {
    throw new ResultsError("Nothing was measured.");
  }
}

/** Takes from a record what no page of a gallery shows: what was measured instance by instance. */
function withoutLists(run: Run): Run {
  return { ...run, usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
}

/** Writes the folder of a run in a gallery: record and summary, with report and picture where these are shown. */
async function writeRunFolder(
  folder: string,
  { run, summary, page, svg }: MadeRun,
  threads: PictureThreads,
): Promise<void> {
  await makeResultsFolder(folder);
  await writeWhole(join(folder, RUN_FILE), `${JSON.stringify(withoutLists(run))}\n`);
  await writeWhole(join(folder, SUMMARY_FILE), `${JSON.stringify(summary)}\n`);
  await writeOrRemove(join(folder, REPORT_FILE), page);
  await writeOrRemove(join(folder, CARD_FILE), svg === null ? null : await threads.draw(svg));
}

/** Writes a file, or removes the one of an earlier gallery where there is nothing to write. */
async function writeOrRemove(file: string, content: string | Uint8Array | null): Promise<void> {
  if (content === null) {
    await rm(file, { force: true });
    return;
  }
  await writeWhole(file, content);
}
