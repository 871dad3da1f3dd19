import { count, interval, milliseconds, record, strict, texts } from "@evenbench/core/schema";
import { z } from "zod";
import { machine, recordHead } from "./run.ts";

const verdict = z.enum(["reproduced", "not reproduced", "reversed", "inconclusive"]);
export type ClaimVerdict = z.infer<typeof verdict>;

const source = strict({ title: z.string(), publisher: z.string(), date: z.string().nullable() });
export type ClaimSource = z.infer<typeof source>;

export type Estimate = z.infer<typeof interval>;
const estimate = interval.nullable();

const unit = z.enum(["ratio", "share", "ms", "bytes", "usd", "count", "perSecond"]);
export type FigureUnit = z.infer<typeof unit>;

const figure = strict({
  label: z.string(),
  unit,
  /** All equal where there is no interval; null: `note` says why. */
  value: estimate,
  verdict: verdict.nullable(),
  note: z.string().nullable(),
});
export type Figure = z.infer<typeof figure>;

const table = strict({ title: z.string(), head: texts, rows: z.array(texts).readonly() });
export type FigureTable = z.infer<typeof table>;

const outcome = {
  verdict,
  reason: z.string(),
  figures: z.array(figure).readonly(),
  tables: z.array(table).readonly(),
};

const side = strict({
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
  cpuMsPerExchange: estimate,
  residentBytes: count.nullable(),
  peakResidentBytes: count.nullable(),
});
export type SideResult = z.infer<typeof side>;

const contrast = strict({
  side: z.string(),
  against: z.string(),
  firstByteMs: estimate,
  lastByteMs: estimate,
  cpu: estimate,
  notWarm: z.string().nullable(),
});
export type Contrast = z.infer<typeof contrast>;

const unmeasured = strict({ name: z.string(), why: z.string() });
export type UnmeasuredSide = z.infer<typeof unmeasured>;

const comparison = strict({
  id: z.string(),
  caseId: z.string(),
  sides: z.array(side).readonly(),
  unmeasured: z.array(unmeasured).readonly(),
  contrasts: z.array(contrast).readonly(),
  /** What it calls a difference when there is none. */
  control: contrast.nullable(),
  trials: count,
  events: texts,
});
/** Interleaved, from fresh instances, with the first side's A/A copy as the control. */
export type ComparisonResult = z.infer<typeof comparison>;

const result = strict({
  id: z.string(),
  title: z.string(),
  claim: z.string(),
  source,
  published: z.string(),
  ...outcome,
  comparisons: z.array(comparison).readonly(),
  versions: record(z.string()),
  startedAt: z.iso.datetime(),
  durationMs: milliseconds,
});
export type ExperimentResult = z.infer<typeof result>;
export type Outcome = Pick<ExperimentResult, keyof typeof outcome>;

export const experimentsSchema = strict({
  schemaVersion: z.literal(2),
  ...recordHead,
  status: z.enum(["running", "complete", "interrupted"]),
  machine,
  seed: count,
  /** For each experiment, without builds; null where each had a time of its own. */
  timeMs: milliseconds.nullable(),
  results: z.array(result).readonly(),
  /** The result that was being measured when the run was interrupted. */
  unfinished: z.string().nullable(),
}).meta({
  title: "Evenbench experiments",
  description: "experiments.json: published claims, what was measured for each, and the verdicts.",
});
export type ExperimentsRun = z.infer<typeof experimentsSchema>;
