import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  ENTRY_FILE,
  type GalleryEntry,
  ownFolder,
  ResultsError,
  readGalleryEntry,
  SUMMARY_FILE,
  writeWhole,
} from "@evenbench/results";
import { type AdditionsOf, analyseFolder } from "../analyse-run.ts";
import { CARD_FILE } from "../card-file.ts";
import { summaryOf } from "../export/summary.ts";
import { renderHtml } from "../html/page.ts";
import { entryOf } from "./entry.ts";
import type { Source } from "./sources.ts";

const REPORT_FILE = "report.html";
/** What a run has in a gallery beside its numbers. */
export const WHOLE: readonly string[] = [REPORT_FILE, CARD_FILE, SUMMARY_FILE];
/** What becomes a folder's name and a link. */
const SAFE_ID = /^\w[\w-]*$/;

/** Whether a run's folder in a gallery has its report and its picture. */
export function isWhole(folder: string): boolean {
  return WHOLE.every((file) => existsSync(join(folder, file)));
}

/**
 * Brings a run into a gallery's folder of runs. Of another gallery only the numbers are taken: its pages may
 * hold any script, and its pictures lead anywhere.
 *
 * @throws {ResultsError} when it cannot be read, has nothing to say beside others, or cannot be written.
 */
export async function addRun(
  { folder, kind }: Source,
  runs: string,
  additionsOf?: AdditionsOf,
): Promise<GalleryEntry> {
  if ((await lstat(folder)).isSymbolicLink())
    throw new ResultsError("It is a symbolic link. Name the folder itself.");
  if (kind === "run") return addMeasured(folder, runs, additionsOf);
  const entry = await readGalleryEntry(folder);
  const own = await folderFor(entry.runId, runs);
  if (existsSync(join(own, ENTRY_FILE))) return readGalleryEntry(own);
  await writeEntry(own, entry);
  return entry;
}

async function addMeasured(folder: string, runs: string, additionsOf?: AdditionsOf): Promise<GalleryEntry> {
  const { data, objections } = await analyseFolder(folder, undefined, additionsOf);
  if (objections.length > 0) throw new ResultsError(objections.join(" "));
  if (data.cases.every(({ headline }) => headline === null)) throw new ResultsError("Nothing was measured.");
  const entry = entryOf(data);
  const own = await folderFor(entry.runId, runs);
  const { drawRunCard } = await import("../card/write-cards.ts");
  await writeWhole(join(own, REPORT_FILE), renderHtml(data));
  await writeWhole(join(own, CARD_FILE), await drawRunCard(data));
  await writeWhole(join(own, SUMMARY_FILE), `${JSON.stringify(summaryOf(data), null, 2)}\n`);
  await writeEntry(own, entry);
  return entry;
}

async function writeEntry(folder: string, entry: GalleryEntry): Promise<void> {
  await writeWhole(join(folder, ENTRY_FILE), `${JSON.stringify(entry)}\n`);
}

/** @returns an absolute path. */
async function folderFor(runId: string, runs: string): Promise<string> {
  if (!SAFE_ID.test(runId)) throw new ResultsError(`Its id "${runId}" cannot be the name of a folder.`);
  const own = resolve(runs, runId);
  for (const one of [runs, own]) await ownFolder(one);
  return own;
}
