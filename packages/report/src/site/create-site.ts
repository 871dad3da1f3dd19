import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "@evenbench/core";
import { type GalleryEntry, ResultsError, systemReason, writeWhole } from "@evenbench/results";
import type { AdditionsOf } from "../analyse-run.ts";
import { addRun, isWhole, WHOLE } from "./add-run.ts";
import type { GalleryRun } from "./gallery-run.ts";
import { historyPage } from "./history-page.ts";
import { indexPage } from "./index-page.ts";
import { entriesIn, RUNS, sourcesIn } from "./sources.ts";

export interface SiteOptions {
  /** Newest runs that keep their report and their picture; of older ones the numbers stay. Default: all. */
  readonly keep?: number;
  readonly additionsOf?: AdditionsOf;
  /** Told of each run whose samples are about to be read: that takes a second or two. */
  readonly onRun?: (folder: string) => void;
}

export interface Site {
  readonly indexFile: string;
  readonly runs: number;
  /** Runs that are left out, with the reason. */
  readonly skipped: readonly string[];
}

/**
 * Makes a gallery of runs: pages that need no server. Of runs only their reports and summaries come into it,
 * never a sample. Runs of a gallery that is in the folder already stay in it.
 *
 * @throws {UserError} when a folder has no run, or the one to write to has something else in it.
 * @throws {ResultsError} when a folder cannot be read or written.
 */
export async function createSite(
  given: readonly string[],
  out: string,
  { keep, additionsOf, onRun }: SiteOptions = {},
): Promise<Site> {
  await refuseOther(out);
  const sources = [await entriesIn(out), ...(await Promise.all(given.map(sourcesIn)))].flat();
  const skipped: string[] = [];
  const entries = new Map<string, GalleryEntry>();
  // A run's own folder has the last word: what it says is made by this version.
  for (const source of sources.toSorted((a, b) => Number(a.kind === "run") - Number(b.kind === "run"))) {
    if (source.kind === "run") onRun?.(source.folder);
    try {
      const entry = await addRun(source, join(out, RUNS), additionsOf);
      entries.set(entry.runId, entry);
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${basename(source.folder)}: ${error.message}`);
    }
  }
  if (entries.size === 0) throw new UserError(`No run can be shown. ${skipped.join(" ")}`);
  const newestFirst = [...entries.values()].sort(byStart).reverse();
  for (const { runId } of newestFirst.slice(keep ?? newestFirst.length))
    for (const file of WHOLE) await rm(join(out, RUNS, runId, file), { force: true });
  const runs: readonly GalleryRun[] = newestFirst.map((entry) => ({
    entry,
    isWhole: isWhole(join(out, RUNS, entry.runId)),
  }));
  const indexFile = join(out, "index.html");
  await writeWhole(indexFile, indexPage(runs));
  await writeWhole(join(out, "history.html"), historyPage(runs));
  return { indexFile, runs: runs.length, skipped };
}

/** Only a new folder or a gallery is written to: what is there otherwise belongs to somebody. */
async function refuseOther(out: string): Promise<void> {
  if (!existsSync(out) || existsSync(join(out, RUNS))) return;
  const names = await readdir(out).catch((error) => [systemReason(error)]);
  const [other] = names.filter((name) => !name.startsWith("."));
  if (other === undefined) return;
  throw new UserError(
    `${out} is no gallery (${other}). Give a new folder, or a gallery that was made earlier.`,
  );
}

function byStart(a: GalleryEntry, b: GalleryEntry): number {
  const [one, other] = [a, b].map(({ startedAt, runId }) => `${startedAt} ${runId}`);
  return (one ?? "") < (other ?? "") ? -1 : 1;
}
