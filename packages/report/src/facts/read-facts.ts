// The one way to read what a run found: from its samples where these are there, and else from its file of facts.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson } from "@evenbench/core";
import {
  FACTS_FILE,
  RUN_FILE,
  type Run,
  readRecord,
  readRegular,
  readRunRecord,
  SAMPLES_FILE,
} from "@evenbench/results";
import { analyseFolder } from "../analyse-run.ts";
import { whyNoFacts } from "./consistent.ts";
import type { Details } from "./details.ts";
import type { Change, Facts, Level } from "./facts.ts";
import { judgedFromEnds } from "./judge.ts";
import { makeFacts } from "./make-facts.ts";
import { joined, noticeAt } from "./notices.ts";
import { factsSchema } from "./schema.ts";

/** What a run's folder says. */
export interface ReadFacts {
  readonly facts: Facts;
  /** null without samples. */
  readonly details: Details | null;
  /** The run's record; null where the folder has facts alone. */
  readonly run: Run | null;
}

/**
 * Reads what a run found: from its samples, or without these from facts.json, which is judged again. A notice says
 * where they differ.
 *
 * @throws {ResultsError} when the folder holds neither, or what cannot be read.
 */
export async function readFacts(folder: string): Promise<ReadFacts> {
  if (!existsSync(join(folder, SAMPLES_FILE)) && existsSync(join(folder, FACTS_FILE))) {
    const run = existsSync(join(folder, RUN_FILE)) ? await readRunRecord(folder) : null;
    return { facts: await readStoredFacts(folder, run), details: null, run };
  }
  const { data, damages } = await analyseFolder(folder);
  const { facts, details } = makeFacts(data, damages);
  return { facts: await heldAgainstFile(folder, facts), details, run: data.run };
}

/** The part of a record by which a file of facts is known to be of it. */
type RecordName = Pick<Run, "id" | "startedAt">;

/**
 * Reads a file of facts beside which no samples lie, and judges it again.
 *
 * @param record of the run or the load beside it; null where there is none.
 * @throws {ResultsError} when it cannot be read, contradicts itself, or is of another run.
 */
export async function readStoredFacts(folder: string, record: RecordName | null): Promise<Facts> {
  const facts = await readRecord<Facts>(resolve(folder), {
    name: FACTS_FILE,
    schema: factsSchema,
    what: "file of facts",
    check: (read) => (record === null ? null : whyNotOf(read, record)) ?? whyNoFacts(read),
    ifInvalid: "Bring the run's samples back, or measure again.",
  });
  return judgedFromEnds(facts);
}

/** Gives facts that were made from samples, with a notice where the folder's file of facts says otherwise. */
export async function heldAgainstFile(folder: string, made: Facts): Promise<Facts> {
  return (await saysOtherwise(folder, made))
    ? { ...made, notices: joined([...made.notices, noticeAt("judged-otherwise")]) }
    : made;
}

/** Says why facts are not those of a run, as half a sentence; null where they can be. */
function whyNotOf({ run: { id, startedAt } }: Facts, record: RecordName): string | null {
  const isIts = id === record.id && startedAt === record.startedAt;
  return isIts
    ? null
    : `it is of ${JSON.stringify(id)}, and the record beside it of ${JSON.stringify(record.id)}`;
}

/**
 * Tells whether facts.json has, by the same rules, other numbers or verdicts. What cannot be read says something else,
 * too.
 */
async function saysOtherwise(folder: string, made: Facts): Promise<boolean> {
  const path = join(folder, FACTS_FILE);
  if (!existsSync(path)) {
    return false;
  }
  const text = await readRegular(path).catch(() => "");
  const file = factsSchema.safeParse(parseJson(text));
  if (!file.success) {
    return true;
  }
  // By other rules the same samples may get other verdicts: nobody changed anything.
  return file.data.rules === made.rules && measured(file.data) !== measured(made);
}

/** Digits by which two numbers are the same: the last ones depend on the processor's way of rounding. */
const COMPARED_DIGITS = 9;

/** Writes what was measured and decided, so that two texts are equal where the facts are. */
function measured({ levels, changes }: Facts): string {
  const level = ({ case: of, target, metric, value, byTrial }: Level) => [of, target, metric, value, byTrial];
  const change = ({ case: of, target, baseline, metric, role, low, high, verdict, why, flags }: Change) => [
    of,
    target,
    baseline,
    metric,
    role,
    low,
    high,
    verdict,
    why,
    flags,
  ];
  return JSON.stringify([levels.map(level), changes.map(change)], (_, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(COMPARED_DIGITS)) : value,
  );
}
