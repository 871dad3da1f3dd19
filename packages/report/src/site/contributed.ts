// Summaries of other people's runs, as files that anybody may have written: nothing of them is believed before it is
// checked.
import { lstat, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseJson } from "@evenbench/core";
import { ResultsError, type RunSummary, readRegular, summarySchema } from "@evenbench/results";
import { isJudged, VERDICTS } from "@evenbench/stats";
import { SAFE_NAME } from "./folder.ts";

/** A summary of seven cases on three platforms has about 110 KB. */
const MOST_BYTES = 2_000_000;
/** Files of a folder that are looked at: more are refused, since no gallery shows them. */
const MOST_FILES = 500;
/** Letters of a text: sentences of a summary have some hundred. */
const MOST_LETTERS = 2_000;
/** Letters of the words for a run's machine, which the gallery shows: real ones have less than a hundred. */
const MOST_LETTERS_OF_PLACE = 300;
/** How far another machine's clock may be ahead, in milliseconds: a day, by which a wrong time zone is none. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000;
/** A local run is of one machine. The other places say how they were measured, and are not of a processor. */
const IS_LOCAL = /^Local run\b.*: one machine, /;

/** The numbers of one run of another machine. */
export interface Contribution {
  /** Name of the file that they were read from. */
  readonly file: string;
  readonly summary: RunSummary;
}

/** The contents of a folder of contributed summaries. */
export interface Contributions {
  /** An entry for each run, the newest first. */
  readonly accepted: readonly Contribution[];
  /** Sentences: which files are left out, and why. */
  readonly skipped: readonly string[];
}

/**
 * Reads the contributed summaries of a folder: `*.json`, each a run's summary.json. What is not as Evenbench writes
 * it is left out, with the reason.
 *
 * @param nowMs milliseconds since 1970: what began more than a day later would stand before all real runs.
 * @throws {ResultsError} when the folder cannot be read, is a symbolic link, or has too many files.
 */
export async function readContributions(folder: string, nowMs: number): Promise<Contributions> {
  const place = resolve(folder);
  const stat = await lstat(place).catch(() => null);
  if (stat === null || !stat.isDirectory()) {
    throw new ResultsError(`${folder} is no folder. Give the folder that has the contributed summaries.`);
  }
  const names = (await readdir(place)).filter((name) => name.endsWith(".json")).sort();
  if (names.length > MOST_FILES) {
    throw new ResultsError(
      `${folder} has ${names.length} files, and at most ${MOST_FILES} are read. Remove the old ones.`,
    );
  }
  const accepted: Contribution[] = [];
  const skipped: string[] = [];
  const known = new Set<string>();
  for (const name of names) {
    const read = await readOne(join(place, name), nowMs);
    const key = typeof read === "string" ? "" : JSON.stringify([read.runId, read.startedAt, read.place]);
    if (typeof read === "string") {
      skipped.push(`${basename(name)}: ${read}`);
    } else if (known.has(key)) {
      skipped.push(`${basename(name)}: the same run is in another file.`);
    } else {
      known.add(key);
      accepted.push({ file: name, summary: read });
    }
  }
  const start = ({ summary }: Contribution): number => Date.parse(summary.startedAt);
  return { accepted: accepted.sort((a, b) => start(b) - start(a)), skipped };
}

/** @returns the summary, or in a sentence what is wrong with the file. */
async function readOne(file: string, nowMs: number): Promise<RunSummary | string> {
  const stat = await lstat(file);
  if (!stat.isFile()) {
    return "it is no regular file.";
  }
  if (stat.size > MOST_BYTES) {
    return `it has ${stat.size} bytes, and at most ${MOST_BYTES} are read.`;
  }
  const text = await readRegular(file).catch(() => null);
  const raw = text === null ? undefined : parseJson(text);
  if (raw === undefined) {
    return "it is not JSON.";
  }
  const parsed = summarySchema.safeParse(raw);
  if (!parsed.success) {
    return "it is no summary.json of this version.";
  }
  return objectionTo(parsed.data, nowMs) ?? parsed.data;
}

/** Why a summary is not shown, as a sentence; null where nothing speaks against it. */
function objectionTo(summary: RunSummary, nowMs: number): string | null {
  const { place, damage, rows, runId, startedAt } = summary;
  const unsafe = textsOf(summary)
    .map(whyUnsafe)
    .find((reason) => reason !== null);
  if (unsafe !== undefined) {
    return unsafe;
  }
  if (Date.parse(startedAt) > nowMs + MOST_AHEAD_MS) {
    return `it began at ${startedAt}, which is in the future. One of both machines has a wrong clock.`;
  }
  if (damage !== null) {
    return "its samples were damaged.";
  }
  if (place.length > MOST_LETTERS_OF_PLACE) {
    return `the words for its machine have ${place.length} letters, and at most ${MOST_LETTERS_OF_PLACE} are shown.`;
  }
  if (!IS_LOCAL.test(place)) {
    return "it is of no local run, so its times are those of a network, too.";
  }
  const names = [runId, ...rows.flatMap(({ caseId, target, baseline }) => [caseId, target, baseline])];
  if (names.some((name) => !SAFE_NAME.test(name))) {
    return "a name of a case, a target or the run has letters that Evenbench gives none.";
  }
  if (rows.some((row) => !isConsistent(row))) {
    return "a verdict is not that of its interval.";
  }
  return rows.some(({ headline, verdict }) => headline && isJudged(verdict))
    ? null
    : "it has no verdict: a smoke test, or too short a run.";
}

/** A verdict is one of ours, and says what the interval beside it says. */
function isConsistent({ verdict, ratio }: RunSummary["rows"][number]): boolean {
  if (verdict === null) {
    return true;
  }
  const isKnown = VERDICTS.some((known) => known === verdict);
  const isOrdered = ratio === null || (ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
  if (verdict === "faster") {
    return isOrdered && ratio !== null && ratio.high < 1;
  }
  if (verdict === "slower") {
    return isOrdered && ratio !== null && ratio.low > 1;
  }
  // What has no ratio says nothing of sameness either.
  return isKnown && isOrdered && (verdict !== "same" || ratio !== null);
}

/** Every text of a value, those of its fields' names too. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") {
    return [value];
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsOf(part)]);
}

/** Texts are escaped wherever they are shown. These have no place in a summary all the same. */
function whyUnsafe(text: string): string | null {
  if (text.length > MOST_LETTERS) {
    return `a text has ${text.length} letters, and at most ${MOST_LETTERS} are read.`;
  }
  if (/[<>\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text)) {
    return "a text has marks of a page, or letters that cannot be seen.";
  }
  const links = text.match(/\b[a-z][a-z\d+.-]*:(?=\S)\S*/gi) ?? [];
  return links.every((link) => link.startsWith("https://"))
    ? null
    : "a text has a link that is not https, or what could be one.";
}
