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
import { objectionsTo } from "../across/objections.ts";
import { readEach, runsIn } from "../across/series.ts";
import type { SummarisedRun } from "../analyse-run.ts";
import { CARD_FILE } from "../names.ts";
import { CASES, RUNS, sitePages } from "./pages.ts";
import type { GalleryRun } from "./standing.ts";

const REPORT_FILE = "report.html";
/** What a run has beside its numbers. */
const SHOWN: readonly string[] = [REPORT_FILE, CARD_FILE];
const SAFE_ID = /^\w[\w-]*$/;

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
export async function createSite(given: readonly string[], out: string, { keep, baseUrl }: SiteOptions = {}) {
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
  const known = [...new Map(read.map((one) => [one.run.id, one])).values()];
  const newestFirst = known.sort((a, b) => (order(a) < order(b) ? 1 : -1));
  const runs: GalleryRun[] = [];
  for (const [place, one] of newestFirst.entries()) {
    await addRun(one, out, base);
    const files = SHOWN.map((file) => join(out, RUNS, one.run.id, file));
    if (keep !== undefined && place >= keep) for (const file of files) await rm(file, { force: true });
    runs.push({ ...one, isWhole: files.every((file) => existsSync(file)) });
  }
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
  const [other] = names.filter((name) => !name.startsWith("."));
  if (other === undefined) return;
  throw new UserError(
    `${out} is not a gallery (${other}). Give a new folder, or a gallery that was made earlier.`,
  );
}

interface Source {
  readonly folder: string;
  /** Of a gallery only the numbers are taken: its pages may hold any script, its pictures lead anywhere. */
  readonly isOwn: boolean;
}

async function sourcesIn(given: string): Promise<readonly Source[]> {
  // Whoever names a link means what it leads to; links within it are another's.
  const folder = await realpath(given).catch(() => resolve(given));
  if (existsSync(join(folder, RUN_FILE))) return [{ folder, isOwn: true }];
  const own = (await runsIn(folder)).map((one) => ({ folder: one, isOwn: true }));
  const found = [...own, ...(await galleryRunsIn(folder))];
  if (found.length > 0) return found;
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

async function galleryRunsIn(site: string): Promise<readonly Source[]> {
  const runs = join(site, RUNS);
  if (!lstatSync(runs, { throwIfNoEntry: false })?.isDirectory()) return [];
  return (await runsIn(runs)).map((folder) => ({ folder, isOwn: false }));
}

async function readShown({ folder, isOwn }: Source) {
  if ((await lstat(folder)).isSymbolicLink())
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  const read = await readSummary(folder);
  const { run, summary } = read;
  const objections = objectionsTo(run);
  if (objections.length > 0) throw new ResultsError(objections.join(" "));
  if (run.machine === null) throw new ResultsError("No single machine measured it.");
  if (summary.rows.length === 0) throw new ResultsError("Nothing was measured.");
  if (!SAFE_ID.test(run.id)) throw new ResultsError(`Its id "${run.id}" cannot be the name of a folder.`);
  return { ...read, machine: run.machine, folder, isOwn };
}

async function addRun(
  { run, summary, folder, isOwn }: SummarisedRun & Source,
  out: string,
  base: string | null,
): Promise<void> {
  const own = resolve(out, RUNS, run.id);
  for (const one of [join(out, RUNS), own]) await ownFolder(one);
  const nothing = { usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
  await writeWhole(join(own, RUN_FILE), `${JSON.stringify({ ...run, ...nothing })}\n`);
  await writeWhole(join(own, SUMMARY_FILE), `${JSON.stringify(summary)}\n`);
  if (isOwn) for (const file of SHOWN) await copy(join(folder, file), join(own, file), run.id, base);
}

/** Who follows a link to a report asks for the whole address of its picture. */
async function copy(from: string, to: string, runId: string, base: string | null): Promise<void> {
  const stat = await lstat(from).catch(() => null);
  if (!stat?.isFile()) return;
  const content = await readFile(from);
  if (basename(from) !== REPORT_FILE || base === null) return writeWhole(to, content);
  const at = `${base}${RUNS}/${runId}/`;
  const told = `content="${at}${CARD_FILE}">\n<meta property="og:url" content="${at}${REPORT_FILE}">`;
  await writeWhole(to, content.toString().replace(`content="${CARD_FILE}">`, told));
}
