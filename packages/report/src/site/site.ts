import { existsSync, lstatSync } from "node:fs";
import { lstat, readdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { UserError } from "@evenbench/core";
import {
  ownFolder,
  ResultsError,
  RUN_FILE,
  readSummary,
  SUMMARY_FILE,
  systemReason,
  writeWhole,
} from "@evenbench/results";
import { objectionsTo, readEach, runsIn, type Source } from "../across/series.ts";
import type { SummarisedRun } from "../analyse-run.ts";
import { CARD_FILE } from "../names.ts";
import type { GalleryRun } from "./histories.ts";
import { CASES, RUNS, sitePages } from "./pages.ts";

const REPORT_FILE = "report.html";
/** What a run has beside its numbers. */
const SHOWN: readonly string[] = [REPORT_FILE, CARD_FILE];
/** Of a run or a case: files are named by it. */
const SAFE_NAME = /^\w[\w-]*$/;

interface SiteOptions {
  /** Newest runs that keep report and picture; of older ones the numbers stay. Default: all. */
  readonly keep?: number;
  /** Where it is published: link previews need it. */
  readonly baseUrl?: string;
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
  { keep = Number.POSITIVE_INFINITY, baseUrl }: SiteOptions = {},
) {
  const base = baseUrl === undefined ? null : publishedAt(baseUrl);
  await refuseOther(out);
  const sources = [...(await Promise.all(given.map(sourcesIn))), await galleryRunsIn(out)].flat();
  // A run's own folder has the last word: what it says is made by this version.
  const { runs: read, skipped } = await readEach(
    sources.sort((a, b) => Number(a.isOwn) - Number(b.isOwn)),
    readShown,
  );
  if (read.length === 0) throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  const order = ({ run: { startedAt, id } }: SummarisedRun) => `${startedAt} ${id}`;
  const known = [...new Map(read.map((record) => [record.run.id, record])).values()];
  const runs: GalleryRun[] = [];
  for (const record of known.sort((a, b) => (order(a) < order(b) ? 1 : -1)))
    runs.push({ ...record, isWhole: await addRun(record, join(out, RUNS), runs.length < keep, base) });
  await ownFolder(join(out, CASES));
  for (const [file, content] of sitePages(runs, base)) await writeWhole(join(out, file), content);
  return { indexFile: join(out, "index.html"), runs: runs.length, skipped };
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
  const other = names.find((name) => !name.startsWith("."));
  if (other === undefined) return;
  throw new UserError(
    `${out} is not a gallery (${other}). Give a new folder, or a gallery that was made earlier.`,
  );
}

async function sourcesIn(given: string): Promise<readonly Source[]> {
  // Whoever names a link means what it leads to; links within it are another's.
  const folder = await realpath(given).catch(() => resolve(given));
  if (existsSync(join(folder, RUN_FILE))) return [{ folder, isOwn: true }];
  const found = [...(await runsIn(folder)), ...(await galleryRunsIn(folder))];
  if (found.length > 0) return found;
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

async function galleryRunsIn(site: string): Promise<readonly Source[]> {
  const runs = join(site, RUNS);
  return lstatSync(runs, { throwIfNoEntry: false })?.isDirectory() ? runsIn(runs, false) : [];
}

async function readShown({ folder, isOwn }: Source) {
  if ((await lstat(folder)).isSymbolicLink())
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  const { run, summary } = await readSummary(folder);
  const objections = objectionsTo(run);
  if (objections.length > 0) throw new ResultsError(objections.join(" "));
  if (summary.rows.length === 0) throw new ResultsError("Nothing was measured.");
  const unsafe = [run.id, ...summary.rows.map(({ caseId }) => caseId)].find((name) => !SAFE_NAME.test(name));
  if (unsafe !== undefined) throw new ResultsError(`The id "${unsafe}" cannot be the name of a file.`);
  return { run, summary, folder, isOwn };
}

/** @returns whether report and picture are there. */
async function addRun(
  { run, summary, folder, isOwn }: SummarisedRun & Source,
  runs: string,
  isKept: boolean,
  base: string | null,
): Promise<boolean> {
  const runFolder = resolve(runs, run.id);
  for (const path of [runs, runFolder]) await ownFolder(path);
  const nothing = { usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
  await writeWhole(join(runFolder, RUN_FILE), `${JSON.stringify({ ...run, ...nothing })}\n`);
  await writeWhole(join(runFolder, SUMMARY_FILE), `${JSON.stringify(summary)}\n`);
  for (const file of SHOWN) {
    if (!isKept) await rm(join(runFolder, file), { force: true });
    else if (isOwn) await copy(join(folder, file), join(runFolder, file), run.id, base);
  }
  return SHOWN.every((file) => existsSync(join(runFolder, file)));
}

/** Who follows a link to a report asks for the whole address of its picture. */
async function copy(from: string, to: string, runId: string, base: string | null): Promise<void> {
  const stat = await lstat(from).catch(() => null);
  if (!stat?.isFile()) return;
  const content = await readFile(from);
  if (basename(from) !== REPORT_FILE || base === null) return writeWhole(to, content);
  const at = `${base}${RUNS}/${runId}/`;
  const preview = `content="${at}${CARD_FILE}">\n<meta property="og:url" content="${at}${REPORT_FILE}">`;
  await writeWhole(to, content.toString().replace(`content="${CARD_FILE}">`, preview));
}
