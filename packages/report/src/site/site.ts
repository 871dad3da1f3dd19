import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "@evenbench/core";
import {
  FACTS_FILE,
  makeResultsFolder,
  ResultsError,
  RUN_FILE,
  type Run,
  readRunRecord,
  writeWhole,
} from "@evenbench/results";
import { pngOf } from "../card/picture.ts";
import type { Facts } from "../facts/facts.ts";
import { readFacts } from "../facts/read-facts.ts";
import { card } from "../media/card.ts";
import { CARD_FILE, REPORT_FILE } from "../media/files.ts";
import { page } from "../media/page/page.ts";
import { type Contributions, readContributions } from "./contributed.ts";
import { findRuns, messageOf, type ShownRun } from "./find-runs.ts";
import {
  assertGallery,
  CASES_FOLDER,
  INDEX_FILE,
  prepareGallery,
  RUNS_FOLDER,
  removeOthers,
  SAFE_NAME,
} from "./folder.ts";
import { sitePages } from "./pages.ts";
import { forGallery, type GalleryRun } from "./series.ts";

/** Options with which a gallery is made. */
export interface SiteOptions {
  /** Number of runs, the newest ones, that have a report; of older ones the facts stay. Default: all. */
  readonly keep?: number;
  /**
   * The address where it is published, https and with a slash at its end. Previews of links need it: without one no
   * report has a picture. Default: none.
   */
  readonly baseUrl?: string;
  /** Folder with facts of other machines, as their owners sent them. Default: none. */
  readonly contributed?: string;
  /** Reads the loads that lie in the folder of a run. Default: none are read. */
  readonly loadsOf?: (folder: string) => Promise<readonly Facts[]>;
  /** Ends it early, between two files. */
  readonly signal?: AbortSignal;
}

/** A gallery that was made. */
export interface Site {
  /** Path of its first page. */
  readonly indexFile: string;
  readonly runs: number;
  /** Runs that are left out, and why: a sentence each. */
  readonly skipped: readonly string[];
}

/**
 * Makes a gallery of some runs, or makes one anew. Reports and pictures are made from samples, or from facts where these
 * are gone: no page or picture is ever copied, since it may be anybody's. Runs of a gallery in the folder stay in it.
 *
 * @param given results folders, folders of runs, and galleries.
 * @param out folder of the gallery.
 * @throws {UserError} when there is no run, the folder has something else in it, or it is stopped.
 * @throws {ResultsError} when a folder cannot be read or written.
 */
export async function createSite(
  given: readonly string[],
  out: string,
  options: SiteOptions = {},
): Promise<Site> {
  const { signal, contributed } = options;
  await assertGallery(out);
  const found = await findRuns(given, out);
  const others =
    contributed === undefined ? NO_CONTRIBUTIONS : await readContributions(contributed, Date.now());
  const skipped = [...found.skipped, ...others.skipped];
  const newestFirst = found.runs.toReversed();
  if (newestFirst.length === 0) {
    throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  }
  await prepareGallery(out);
  const runs = await writeRuns(newestFirst, out, options, skipped);
  if (runs.length === 0) {
    throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  }
  const pages = sitePages({
    newestFirst: runs,
    contributed: withoutOwn(others.accepted, runs),
    base: options.baseUrl ?? null,
  });
  for (const { file, content } of pages) {
    if (signal?.aborted) {
      throw new UserError("The gallery is not complete.");
    }
    await writeWhole(join(out, file), content);
  }
  const casePages = pages.map(({ file }) => file).filter((file) => file.startsWith(`${CASES_FOLDER}/`));
  const names = runs.map(({ name }) => name);
  await removeOthers(out, casePages, names);
  return { indexFile: join(out, INDEX_FILE), runs: runs.length, skipped };
}

const NO_CONTRIBUTIONS: Contributions = { accepted: [], skipped: [] };

/** Leaves out what was sent of the gallery's own runs: it says the same twice. */
function withoutOwn(contributed: readonly Facts[], runs: readonly GalleryRun[]): readonly Facts[] {
  return contributed.filter(
    ({ run }) => !runs.some(({ facts }) => facts.run.id === run.id && facts.run.startedAt === run.startedAt),
  );
}

/**
 * Writes the folders of a gallery's runs; reasons go to `skipped`.
 *
 * @returns the runs that have one, in order.
 * @throws {UserError} when it is stopped.
 */
async function writeRuns(
  newestFirst: readonly ShownRun[],
  out: string,
  options: SiteOptions,
  skipped: string[],
): Promise<readonly GalleryRun[]> {
  const { keep = Number.POSITIVE_INFINITY, baseUrl, loadsOf, signal } = options;
  const runs: GalleryRun[] = [];
  for (const shown of newestFirst) {
    if (signal?.aborted) {
      throw new UserError("The gallery is not complete.");
    }
    const hasReport = runs.length < keep;
    const runFolder = join(out, RUNS_FOLDER, shown.name);
    const folderUrl = baseUrl === undefined ? null : `${baseUrl}${RUNS_FOLDER}/${shown.name}/`;
    const problems: string[] = [];
    const made = await firstMade(shown, problems, async (folder) =>
      makeRun(folder, (await loadsOf?.(folder)) ?? [], hasReport, folderUrl),
    );
    if (made === null) {
      skipped.push(...problems);
      continue;
    }
    await writeRunFolder(runFolder, made);
    runs.push({ facts: forGallery(made.facts), name: shown.name, hasReport });
  }
  return runs;
}

/** The part of one run that a gallery shows. */
interface MadeRun {
  readonly run: Run;
  readonly facts: Facts;
  /** The page of the report; null where only the facts are shown. */
  readonly report: string | null;
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
      problems.push(`${basename(folder)}: ${messageOf(error)}`);
    }
  }
  return null;
}

/** Makes what a gallery shows of a run. @throws {ResultsError} where there is nothing to show. */
async function makeRun(
  folder: string,
  loads: readonly Facts[],
  hasReport: boolean,
  folderUrl: string | null,
): Promise<MadeRun> {
  const { facts, details, run } = await readFacts(folder);
  assertShown(facts);
  const hasCard = hasReport && folderUrl !== null;
  const place = { folderUrl, back: `../../${INDEX_FILE}`, hasCard, loads };
  const report = hasReport ? page(facts, details, place) : null;
  return { run: run ?? (await readRunRecord(folder)), facts, report, svg: hasCard ? card(facts) : null };
}

/** Refuses what says nothing, and names that are no names of files. @throws {ResultsError} */
function assertShown({ cases, levels, notices }: Facts): void {
  const unsafe = cases.find(({ id }) => !SAFE_NAME.test(id));
  if (unsafe !== undefined) {
    throw new ResultsError(`The id "${unsafe.id}" cannot be the name of a file.`);
  }
  const damaged = notices.find(({ code }) => code === "samples-damaged");
  if (damaged !== undefined) {
    throw new ResultsError(damaged.found[0]?.quote ?? "Its samples were damaged.");
  }
  if (levels.length === 0) {
    throw new ResultsError("Nothing was measured.");
  }
}

/** Takes from a record what no page of a gallery shows: what was measured instance by instance. */
function withoutLists(run: Run): Run {
  return { ...run, usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
}

/** Writes the folder of a run in a gallery: record and facts, with report and picture where these are shown. */
async function writeRunFolder(folder: string, { run, facts, report, svg }: MadeRun): Promise<void> {
  await makeResultsFolder(folder);
  await writeWhole(join(folder, RUN_FILE), `${JSON.stringify(withoutLists(run))}\n`);
  await writeWhole(join(folder, FACTS_FILE), `${JSON.stringify(facts)}\n`);
  await writeOrRemove(join(folder, REPORT_FILE), report);
  await writeOrRemove(join(folder, CARD_FILE), svg === null ? null : await pngOf(svg));
}

/** Writes a file, or removes the one of an earlier gallery where there is nothing to write. */
async function writeOrRemove(file: string, content: string | Uint8Array | null): Promise<void> {
  if (content === null) {
    await rm(file, { force: true });
    return;
  }
  await writeWhole(file, content);
}
