// Facts of other people's runs, as files that anybody may have written: nothing of them is believed before it is checked.
import { lstat, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseJson } from "@evenbench/core";
import { ResultsError, readRegular } from "@evenbench/results";
import { whyNoFacts } from "../facts/consistent.ts";
import type { Facts } from "../facts/facts.ts";
import { judgedFromEnds } from "../facts/judge.ts";
import { factsSchema } from "../facts/schema.ts";
import { machineWords } from "../words/names.ts";
import { SAFE_NAME } from "./folder.ts";
import { forGallery } from "./series.ts";

/** Facts of seven cases on three platforms have about 100 KB. */
const MOST_BYTES = 2_000_000;
/** Files of a folder that are looked at: more are refused, since no gallery shows them. */
const MOST_FILES = 500;
/** Letters of a text: quotes of logs have some hundred. */
const MOST_LETTERS = 2_000;
/** Letters of the words for a machine, which the gallery shows: real ones have less than a hundred. */
const MOST_LETTERS_OF_MACHINE = 300;
/** How far another machine's clock may be ahead, in milliseconds: a day, by which a wrong time zone is none. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1000;

/** The contents of a folder of contributed facts. */
export interface Contributions {
  /** The facts of each run, the newest first. */
  readonly accepted: readonly Facts[];
  /** Sentences: which files are left out, and why. */
  readonly skipped: readonly string[];
}

/**
 * Reads the contributed facts of a folder: `*.json`, each a run's facts.json. What is not as Evenbench writes it is left
 * out, with the reason. Verdicts are judged again from the ends of intervals.
 *
 * @param nowMs milliseconds since 1970: what began more than a day later would stand before all real runs.
 * @throws {ResultsError} when the folder cannot be read, is a symbolic link, or has too many files.
 */
export async function readContributions(folder: string, nowMs: number): Promise<Contributions> {
  const place = resolve(folder);
  const stat = await lstat(place).catch(() => null);
  if (stat === null || !stat.isDirectory()) {
    throw new ResultsError(`${folder} is no folder. Give the folder that has the contributed facts.`);
  }
  const names = (await readdir(place)).filter((name) => name.endsWith(".json")).sort();
  if (names.length > MOST_FILES) {
    throw new ResultsError(
      `${folder} has ${names.length} files, and at most ${MOST_FILES} are read. Remove the old ones.`,
    );
  }
  const accepted: Facts[] = [];
  const skipped: string[] = [];
  const known = new Set<string>();
  for (const name of names) {
    const read = await readOne(join(place, name), nowMs);
    if (typeof read === "string") {
      skipped.push(`${basename(name)}: ${read}`);
      continue;
    }
    const key = JSON.stringify([read.run.id, read.run.startedAt, read.run.machine]);
    if (known.has(key)) {
      skipped.push(`${basename(name)}: the same run is in another file.`);
      continue;
    }
    known.add(key);
    accepted.push(read);
  }
  const start = ({ run }: Facts): number => Date.parse(run.startedAt);
  return { accepted: accepted.sort((a, b) => start(b) - start(a)), skipped };
}

/** @returns the facts, or in a sentence what is wrong with the file. */
async function readOne(file: string, nowMs: number): Promise<Facts | string> {
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
  const parsed = factsSchema.safeParse(raw);
  if (!parsed.success) {
    return "it is no facts.json of this version.";
  }
  const contradiction = whyNoFacts(parsed.data);
  if (contradiction !== null) {
    return `${contradiction}.`;
  }
  const isDamaged = parsed.data.notices.some(({ code }) => code === "samples-damaged");
  if (isDamaged) {
    return "its samples were damaged.";
  }
  const facts = comparedParts(judgedFromEnds(parsed.data));
  return objectionTo(facts, nowMs) ?? facts;
}

/** Keeps of facts what machines are compared by: nothing else of a stranger's file is shown. */
function comparedParts(facts: Facts): Facts {
  const run = { ...facts.run, command: null, settings: null, repository: null, commit: null, parts: [] };
  const cases = facts.cases.map((each) => ({ ...each, notSameCode: null, bodiesVary: null, source: null }));
  const targets = facts.targets.map((target) => ({ ...target, limits: [], absent: null }));
  return { ...forGallery(facts), run, cases, targets, notices: [], app: null };
}

/** Says why facts are not shown, as a sentence; null where nothing speaks against it. */
function objectionTo(facts: Facts, nowMs: number): string | null {
  const { run, cases, targets, changes } = facts;
  const unsafe = textsOf(facts)
    .map(whyUnsafe)
    .find((reason) => reason !== null);
  if (unsafe !== undefined) {
    return unsafe;
  }
  if (Date.parse(run.startedAt) > nowMs + MOST_AHEAD_MS) {
    return `it began at ${run.startedAt}, which is in the future. One of both machines has a wrong clock.`;
  }
  if (run.from !== "local" || run.machine === null) {
    return "it is of no local run, so its times are those of a network, too.";
  }
  const letters = machineWords(run.machine).length;
  if (letters > MOST_LETTERS_OF_MACHINE) {
    return `the words for its machine have ${letters} letters, and at most ${MOST_LETTERS_OF_MACHINE} are shown.`;
  }
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const names = [run.id, ...cases.map(({ id }) => id), ...originals.map(({ name }) => name)];
  if (names.some((name) => !SAFE_NAME.test(name))) {
    return "a name of a case, a target or the run has letters that Evenbench gives none.";
  }
  return changes.some(({ metric, verdict }) => metric === "lastByteMs" && verdict !== "none")
    ? null
    : "it has no verdict: a smoke test, or too short a run.";
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

/** Texts are escaped wherever they are shown. These have no place in facts all the same. */
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
