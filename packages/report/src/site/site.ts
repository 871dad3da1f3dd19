import { existsSync, lstatSync } from "node:fs";
import { lstat, readdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import {
  ENTRY_FILE,
  type GalleryCase,
  type GalleryEntry,
  ownFolder,
  ResultsError,
  RUN_FILE,
  type Run,
  type RunSummary,
  readGalleryEntry,
  readSummary,
  SUMMARY_FILE,
  systemReason,
  writeWhole,
} from "@evenbench/results";
import { objectionsTo } from "../across/objections.ts";
import { CARD_FILE } from "../card-file.ts";
import { versionsOf } from "../names.ts";
import { caseLinks } from "../repeat.ts";
import { archivePage, CASES, casePages, feed, indexPage, RUNS, siteData, standingJson } from "./pages.ts";
import type { GalleryRun } from "./standing.ts";

const REPORT_FILE = "report.html";
const WHOLE: readonly string[] = [REPORT_FILE, CARD_FILE, SUMMARY_FILE];
const SAFE_ID = /^\w[\w-]*$/;

export interface SiteOptions {
  /** Newest runs that keep report and picture; of older ones the numbers stay. Default: all. */
  readonly keep?: number;
  /** Where it is published: link previews need it, and the feed. */
  readonly baseUrl?: string;
}

export interface Site {
  readonly indexFile: string;
  readonly runs: number;
  readonly skipped: readonly string[];
}

/**
 * Makes the reference page of some runs from their summaries. Runs of a site in the folder stay in it.
 *
 * @throws {UserError} when there is no run, the folder has something else in it, or the address is not https.
 * @throws {ResultsError} when a folder cannot be read or written.
 */
export async function createSite(
  given: readonly string[],
  out: string,
  { keep, baseUrl }: SiteOptions = {},
): Promise<Site> {
  const base = baseUrl === undefined ? null : publishedAt(baseUrl);
  await refuseOther(out);
  const sources = [await entriesIn(out), ...(await Promise.all(given.map(sourcesIn)))].flat();
  const skipped: string[] = [];
  const entries = new Map<string, GalleryEntry>();
  // A run's own folder has the last word: what it says is made by this version.
  for (const source of sources.toSorted((a, b) => Number(a.kind === "run") - Number(b.kind === "run"))) {
    try {
      const entry = await addRun(source, join(out, RUNS), base);
      entries.set(entry.runId, entry);
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${basename(source.folder)}: ${error.message}`);
    }
  }
  if (entries.size === 0) throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  const order = ({ startedAt, runId }: GalleryEntry) => `${startedAt} ${runId}`;
  const newestFirst = [...entries.values()].sort((a, b) => (order(a) < order(b) ? 1 : -1));
  for (const { runId } of newestFirst.slice(keep ?? newestFirst.length))
    for (const file of WHOLE) await rm(join(out, RUNS, runId, file), { force: true });
  const runs = newestFirst.map((entry): GalleryRun => {
    const folder = join(out, RUNS, entry.runId);
    return { entry, isWhole: WHOLE.every((file) => existsSync(join(folder, file))) };
  });
  await writePages(out, runs, base);
  return { indexFile: join(out, "index.html"), runs: runs.length, skipped };
}

async function writePages(out: string, runs: readonly GalleryRun[], base: string | null): Promise<void> {
  const data = siteData(runs, base);
  await ownFolder(join(out, CASES));
  const pages = new Map([
    ["index.html", indexPage(data)],
    ["archive.html", archivePage(data)],
    ["standing.json", standingJson(data)],
    ...(base === null ? [] : ([["feed.xml", feed({ ...data, base })]] as const)),
    ...casePages(data),
  ]);
  for (const [file, content] of pages) await writeWhole(join(out, file), content);
}

function publishedAt(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol !== "https:" || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new UserError(
      `${address} cannot be a site's address. Give one that begins with https://, without "?" and "#".`,
    );
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

/** Only a new folder or a site is written to: what is there otherwise belongs to somebody. */
async function refuseOther(out: string): Promise<void> {
  if (!existsSync(out) || existsSync(join(out, RUNS))) return;
  const names = await readdir(out).catch((error) => [systemReason(error)]);
  const [other] = names.filter((name) => !name.startsWith("."));
  if (other === undefined) return;
  throw new UserError(
    `${out} is not a gallery (${other}). Give a new folder, or a gallery that was made earlier.`,
  );
}

interface Source {
  readonly folder: string;
  readonly kind: "run" | "entry";
}

async function sourcesIn(given: string): Promise<readonly Source[]> {
  // Whoever names a link means what it leads to; links within it are another's.
  const folder = await realpath(given).catch(() => resolve(given));
  if (existsSync(join(folder, RUN_FILE))) return [{ folder, kind: "run" }];
  const found = [...(await foldersWith(RUN_FILE, folder, "run")), ...(await entriesIn(folder))];
  if (found.length > 0) return found;
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

function entriesIn(site: string): Promise<readonly Source[]> {
  const runs = join(site, RUNS);
  return lstatSync(runs, { throwIfNoEntry: false })?.isDirectory()
    ? foldersWith(ENTRY_FILE, runs, "entry")
    : Promise.resolve([]);
}

async function foldersWith(file: string, parent: string, kind: Source["kind"]): Promise<readonly Source[]> {
  let names: string[];
  try {
    names = await readdir(parent);
  } catch (error) {
    throw new ResultsError(`${parent} cannot be read (${systemReason(error)}). Give a results folder.`);
  }
  const folders = names.sort().map((name) => join(parent, name));
  return folders.filter((folder) => existsSync(join(folder, file))).map((folder) => ({ folder, kind }));
}

/** Of another site only the numbers are taken: its pages may hold any script, its pictures lead anywhere. */
async function addRun({ folder, kind }: Source, runs: string, base: string | null): Promise<GalleryEntry> {
  if ((await lstat(folder)).isSymbolicLink())
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  if (kind === "entry") {
    const entry = await readGalleryEntry(folder);
    const own = await folderFor(entry.runId, runs);
    if (existsSync(join(own, ENTRY_FILE))) return readGalleryEntry(own);
    await writeEntry(own, entry);
    return entry;
  }
  const { run, summary } = await readSummary(folder);
  const objections = objectionsTo({ run, damage: null });
  if (objections.length > 0) throw new ResultsError(objections.join(" "));
  const entry = entryOf(run, summary);
  const own = await folderFor(entry.runId, runs);
  for (const file of WHOLE) await copy(join(folder, file), join(own, file), base, entry);
  await writeEntry(own, entry);
  return entry;
}

/** Who follows a link to a report asks for the whole address of its picture. */
async function copy(from: string, to: string, base: string | null, entry: GalleryEntry): Promise<void> {
  const stat = await lstat(from).catch(() => null);
  if (!stat?.isFile()) return;
  const content = await readFile(from);
  if (basename(from) !== REPORT_FILE || base === null) return writeWhole(to, content);
  const at = `${base}${RUNS}/${entry.runId}/`;
  const told = `content="${at}${CARD_FILE}">\n<meta property="og:url" content="${at}${REPORT_FILE}">`;
  await writeWhole(to, content.toString().replace(`content="${CARD_FILE}">`, told));
}

async function writeEntry(folder: string, entry: GalleryEntry): Promise<void> {
  await writeWhole(join(folder, ENTRY_FILE), `${JSON.stringify(entry)}\n`);
}

async function folderFor(runId: string, runs: string): Promise<string> {
  if (!SAFE_ID.test(runId)) throw new ResultsError(`Its id "${runId}" cannot be the name of a folder.`);
  const own = resolve(runs, runId);
  for (const one of [runs, own]) await ownFolder(one);
  return own;
}

function entryOf(run: Run, summary: RunSummary): GalleryEntry {
  if (run.machine === null) throw new ResultsError("No single machine measured it.");
  const cases = run.plan.cases.flatMap((manifest): GalleryCase[] => {
    const { id, title } = manifest;
    const rows = summary.rows.filter(({ caseId }) => caseId === id);
    const [first] = rows;
    if (first === undefined) return [];
    const measured = (own: RunSummary["rows"]) =>
      own.map(({ target, medianMs, medianLowMs, medianHighMs, ratio, verdict }) => ({
        target,
        medianMs,
        lowMs: medianLowMs,
        highMs: medianHighMs,
        ratio,
        verdict,
      }));
    return [
      {
        id,
        title,
        baseline: first.baseline,
        source: caseLinks({ manifest, targets: rows.map(({ target }) => target) }, run).url,
        time: measured(rows.filter(({ headline }) => headline)),
        cpuTime: measured(rows.filter(({ metric }) => metric === "cpuMs")),
      },
    ];
  });
  if (cases.length === 0) throw new ResultsError("Nothing was measured.");
  const { system, cpuModel, cores, memoryBytes } = run.machine;
  return {
    schemaVersion: 3,
    runId: run.id,
    startedAt: run.startedAt,
    evenbenchVersion: run.evenbenchVersion,
    answer: summary.answer ?? "Nothing was compared.",
    notices: summary.notices.length,
    ...(summary.unproven !== undefined && { unproven: summary.unproven }),
    machine: { system, cpuModel, cores, memoryBytes },
    versions: versionsOf(run).map(({ name, version }) => ({ name, version })),
    targets: run.plan.targets
      .filter(({ copyOf }) => copyOf === null)
      .map(({ name, app, platform, place, about }) => ({
        name,
        app,
        platform,
        colour: about?.colour ?? null,
        spoken: about?.spoken ?? null,
        place,
      })),
    cases,
  };
}
