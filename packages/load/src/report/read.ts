// The one way to read what a load found: from its samples where these are there, and else from its file of facts.
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Facts, heldAgainstFile, makeLoadFacts, readStoredFacts } from "@evenbench/report";
import {
  FACTS_FILE,
  LOAD_FILE,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  readLoad,
  readLoadRecord,
  SAMPLES_FILE,
} from "@evenbench/results";
import { type StageSummary, summarise } from "../stage-summary.ts";
import { findingsOf } from "./stages.ts";

/** What a load's folder says. */
export interface ReadLoadFacts {
  readonly facts: Facts;
  /** The summaries of its stages, in their order; empty without samples. */
  readonly stages: readonly StageSummary[];
}

/**
 * Reads what a load found. Facts are made from its samples where these lie in the folder, whatever facts.json says.
 *
 * @throws {ResultsError} when the folder holds neither, or what cannot be read.
 */
export async function readLoadFacts(folder: string): Promise<ReadLoadFacts> {
  if (!existsSync(join(folder, SAMPLES_FILE)) && existsSync(join(folder, FACTS_FILE))) {
    const facts = await readStoredFacts(folder, await readLoadRecord(folder));
    return { facts, stages: [] };
  }
  const { run, stages, damage } = await readStages(folder);
  const made = makeLoadFacts(run, findingsOf(run, stages), damage === null ? [] : [damage]);
  return { facts: await heldAgainstFile(folder, made), stages };
}

/** Reads the loads that lie in the folder of a run, a folder each, in the order of their names. */
export async function loadsIn(folder: string): Promise<readonly Facts[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .filter((inner) => existsSync(join(inner, LOAD_FILE)));
  const loads: Facts[] = [];
  for (const inner of folders.sort()) {
    loads.push((await readLoadFacts(inner)).facts);
  }
  return loads;
}

/** A load's record with the summary of each of its stages. */
interface ReadStages {
  readonly run: LoadRun;
  readonly stages: readonly StageSummary[];
  /** Damage of the samples, or what of the record is not theirs, as a sentence; null where there is none. */
  readonly damage: string | null;
}

/** Reads the folder of a load stage by stage: no more than the samples of one are kept. */
async function readStages(folder: string): Promise<ReadStages> {
  const summaries = new Map<number, StageSummary>();
  let ofStage: LoadSample[] = [];
  let wrong: string | null = null;
  const summariseStage = ({ stages, plan }: LoadRun): void => {
    const index = ofStage[0]?.stage ?? 0;
    const stage = stages[index];
    if (stage !== undefined) {
      summaries.set(index, summarise(stage, ofStage, plan.condition));
      wrong ??= whyNotOf(stage, index, ofStage.length);
    }
    ofStage = [];
  };
  const { run, damage } = await readLoad(folder, (sample, run) => {
    if (ofStage[0] !== undefined && ofStage[0].stage !== sample.stage) {
      summariseStage(run);
    }
    ofStage.push(sample);
  });
  if (ofStage.length > 0) {
    summariseStage(run);
  }
  const { condition } = run.plan;
  const stages = run.stages.map((stage, index) => summaries.get(index) ?? summarise(stage, [], condition));
  return { run, damage: damage ?? wrong, stages };
}

/** Says that a stage counts more answers than it has requests, as a sentence; null where it does not. */
function whyNotOf({ completed }: LoadStage, index: number, requests: number): string | null {
  return completed <= requests
    ? null
    : `${LOAD_FILE} was changed: stage ${index + 1} counts ${completed} answers, and has ${requests} requests.`;
}
