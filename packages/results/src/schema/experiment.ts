import {
  amount,
  count,
  interval,
  list,
  milliseconds,
  moment,
  record,
  strict,
  text,
  texts,
} from "@evenbench/core/schema";
import { z } from "zod";
import { machine, recordHead } from "./run.ts";

const verdict = z.enum(["reproduced", "not reproduced", "reversed", "inconclusive"]);
export type ClaimVerdict = z.infer<typeof verdict>;

const source = strict({ title: text, publisher: text, date: text.nullable() });
export type ClaimSource = z.infer<typeof source>;

export type Estimate = z.infer<typeof interval>;
const estimate = interval.nullable();

const unit = z.enum(["ratio", "share", "ms", "bytes", "usd", "count", "perSecond"]);
export type FigureUnit = z.infer<typeof unit>;

const figure = strict({
  label: text,
  unit,
  /** All equal where there is no interval; null: `note` says why. */
  value: estimate,
  verdict: verdict.nullable(),
  note: text.nullable(),
});
export type Figure = z.infer<typeof figure>;

const table = strict({ title: text, head: texts, rows: list(texts) });
export type FigureTable = z.infer<typeof table>;

const outcome = {
  verdict,
  reason: text,
  figures: list(figure),
  tables: list(table),
};

const side = strict({
  name: text,
  target: text,
  otherwise: text.nullable(),
  bodyBytes: count,
  bodySha256: text,
  exchanges: count,
  errors: count,
  rendersPerRequest: amount.nonnegative().nullable(),
  firstByteMs: estimate,
  lastByteMs: estimate,
  cpuMsPerExchange: estimate,
  residentBytes: count.nullable(),
  peakResidentBytes: count.nullable(),
});
export type SideResult = z.infer<typeof side>;

const contrast = strict({
  side: text,
  against: text,
  firstByteMs: estimate,
  lastByteMs: estimate,
  cpu: estimate,
  notWarm: text.nullable(),
});
export type Contrast = z.infer<typeof contrast>;

const unmeasured = strict({ name: text, why: text });
export type UnmeasuredSide = z.infer<typeof unmeasured>;

const comparison = strict({
  id: text,
  caseId: text,
  sides: list(side),
  unmeasured: list(unmeasured),
  contrasts: list(contrast),
  /** What it calls a difference when there is none. */
  control: contrast.nullable(),
  trials: count,
  events: texts,
});
/** Interleaved, from fresh instances, with the first side's A/A copy as the control. */
export type ComparisonResult = z.infer<typeof comparison>;

const result = strict({
  id: text,
  title: text,
  claim: text,
  source,
  published: text,
  ...outcome,
  comparisons: list(comparison),
  versions: record(text),
  startedAt: moment,
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
  results: list(result),
  /** The result that was being measured when the run was interrupted. */
  unfinished: text.nullable(),
}).meta({
  title: "Evenbench experiments",
  description: "experiments.json: published claims, what was measured for each, and the verdicts.",
});
export type ExperimentsRun = z.infer<typeof experimentsSchema>;
