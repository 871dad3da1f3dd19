import { join, resolve } from "node:path";
import { EXPERIMENTS_SCHEMA_VERSION, type ExperimentsRun } from "@evenbench/core";
import { z } from "zod";
import { readRecord } from "./read-files.ts";
import { writeWhole } from "./run-folder.ts";
import { count, machine, milliseconds } from "./schema.ts";

export const EXPERIMENTS_FILE = "experiments.json";

const estimate = z.strictObject({ estimate: z.number(), low: z.number(), high: z.number() }).nullable();
const verdict = z.enum(["reproduced", "not reproduced", "reversed", "cannot tell"]);
const texts = z.array(z.string()).readonly();

const side = z.strictObject({
  name: z.string(),
  target: z.string(),
  otherwise: z.string().nullable(),
  bodyBytes: count,
  bodySha256: z.string(),
  exchanges: count,
  errors: count,
  rendersPerRequest: z.number().nonnegative().nullable(),
  firstByteMs: estimate,
  lastByteMs: estimate,
  lastToFirst: estimate,
  cpuMsPerExchange: estimate,
  residentBytes: count.nullable(),
  peakResidentBytes: count.nullable(),
});

const contrast = z.strictObject({
  side: z.string(),
  against: z.string(),
  firstByteMs: estimate,
  lastByteMs: estimate,
  cpu: estimate,
});

const comparison = z.strictObject({
  id: z.string(),
  caseId: z.string(),
  sides: z.array(side).readonly(),
  unmeasured: z.array(z.strictObject({ name: z.string(), why: z.string() })).readonly(),
  contrasts: z.array(contrast).readonly(),
  control: contrast.nullable(),
  generations: count,
  events: texts,
});

const figure = z.strictObject({
  label: z.string(),
  unit: z.enum(["ratio", "share", "ms", "bytes", "usd", "count", "perSecond"]),
  value: estimate,
  verdict: verdict.nullable(),
  note: z.string().nullable(),
});

const table = z.strictObject({ title: z.string(), head: texts, rows: z.array(texts).readonly() });

const result = z.strictObject({
  id: z.string(),
  title: z.string(),
  claim: z.string(),
  source: z.strictObject({ title: z.string(), publisher: z.string(), date: z.string().nullable() }),
  published: z.string(),
  verdict,
  reason: z.string(),
  figures: z.array(figure).readonly(),
  tables: z.array(table).readonly(),
  comparisons: z.array(comparison).readonly(),
  versions: z.record(z.string(), z.string()).readonly(),
  startedAt: z.iso.datetime(),
  durationMs: milliseconds,
});

/** `experiments.json`. */
export const experimentsSchema: z.ZodType<ExperimentsRun> = z
  .strictObject({
    schemaVersion: z.literal(EXPERIMENTS_SCHEMA_VERSION),
    id: z.string(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    status: z.enum(["running", "complete", "interrupted"]),
    evenbenchVersion: z.string(),
    machine,
    seed: count,
    timeMs: milliseconds.nullable(),
    results: z.array(result).readonly(),
  })
  .meta({
    title: "Evenbench experiments",
    description: "experiments.json: published claims, what was measured for each, and the verdicts.",
  });

/**
 * Writes `experiments.json` whole or not at all.
 *
 * @throws {ResultsError} when it cannot be written.
 */
export async function writeExperiments(folder: string, run: ExperimentsRun): Promise<void> {
  await writeWhole(join(folder, EXPERIMENTS_FILE), `${JSON.stringify(run, null, 2)}\n`);
}

/** @throws {ResultsError} when there is no such file in the folder, it is not valid, or a newer Evenbench wrote it. */
export async function readExperiments(folder: string): Promise<ExperimentsRun> {
  return readRecord(resolve(folder), {
    name: EXPERIMENTS_FILE,
    schema: experimentsSchema,
    version: EXPERIMENTS_SCHEMA_VERSION,
  });
}
