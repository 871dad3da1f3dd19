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
import { analyseFolder, type FolderOptions } from "../analyse-run.ts";
import { whyNoFacts } from "./consistent.ts";
import type { Details } from "./details.ts";
import type { Change, Facts, Level } from "./facts.ts";
import { judgedFromEnds } from "./judge.ts";
import { makeFacts } from "./make-facts.ts";
import { foundAt, withNotice } from "./notices.ts";
import { factsSchema } from "./schema.ts";

/** What a run's folder says. */
export interface ReadFacts {
  readonly facts: Facts;
  /** null without samples. */
  readonly details: Details | null;
  /** The run's record; null where the folder has facts alone. */
  readonly run: Run | null;
  /** Damage of the samples, as a sentence; null where all can be read, and where there are none. */
  readonly damage: string | null;
}

/**
 * Reads what a run found. Facts are made from its samples where these lie in the folder, whatever facts.json says; a
 * notice says so where that is something else. Without samples, facts.json is checked and its verdicts are judged again.
 *
 * @throws {ResultsError} when the folder holds neither, or what cannot be read.
 */
export async function readFacts(folder: string, options: FolderOptions = {}): Promise<ReadFacts> {
  if (!existsSync(join(folder, SAMPLES_FILE)) && existsSync(join(folder, FACTS_FILE))) {
    return readWithoutSamples(folder);
  }
  const { data, damage, damages } = await analyseFolder(folder, options);
  const { facts, details } = makeFacts(data, damages);
  const isOther = await saysOtherwise(folder, facts);
  return {
    facts: isOther ? withNotice(facts, "judged-otherwise", foundAt()) : facts,
    details,
    run: data.run,
    damage,
  };
}

/** Reads a file of facts beside which no samples lie. */
async function readWithoutSamples(folder: string): Promise<ReadFacts> {
  const run = existsSync(join(folder, RUN_FILE)) ? await readRunRecord(folder) : null;
  const facts = await readRecord<Facts>(resolve(folder), {
    name: FACTS_FILE,
    schema: factsSchema,
    what: "file of facts",
    check: (read) => (run === null ? null : whyNotOf(read, run)) ?? whyNoFacts(read),
    ifInvalid: "Bring the run's samples back, or measure again.",
  });
  return { facts: judgedFromEnds(facts), details: null, run, damage: null };
}

/** Says why facts are not those of a run, as half a sentence; null where they can be. */
function whyNotOf({ run: { id, startedAt } }: Facts, run: Run): string | null {
  const isIts = id === run.id && startedAt === run.startedAt;
  return isIts
    ? null
    : `it is of the run ${JSON.stringify(id)}, and ${RUN_FILE} of ${JSON.stringify(run.id)}`;
}

/** Tells whether the folder's file of facts was made by the same rules, and has other numbers or verdicts. */
async function saysOtherwise(folder: string, made: Facts): Promise<boolean> {
  if (!existsSync(join(folder, FACTS_FILE))) {
    return false;
  }
  const file = factsSchema.safeParse(parseJson(await readRegular(join(folder, FACTS_FILE))));
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
