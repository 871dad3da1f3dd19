import {
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
import * as z from "zod";
import { machine, recordHead } from "./run.ts";

const partVerdict = z.enum(["reproduced", "not reproduced", "reversed", "unclear"]);
/** The verdict on one part of a published claim: on one figure that decides. */
export type PartVerdict = z.infer<typeof partVerdict>;

const verdict = z.enum([...partVerdict.options, "reproduced in part"]);
/** The verdict on a published claim, from those on its parts. */
export type ClaimVerdict = z.infer<typeof verdict>;

const source = strict({ title: text, publisher: text, date: text.nullable() });
/** The source in which a claim was published; its `date` is null where the source names none. */
export type ClaimSource = z.infer<typeof source>;

/** An estimate with the ends of its interval. */
export type Estimate = z.infer<typeof interval>;
const estimate = interval.nullable();

const unit = z.enum(["ratio", "share", "ms", "bytes", "usd", "count", "perSecond"]);
/** The unit of a figure. */
export type FigureUnit = z.infer<typeof unit>;

const figure = strict({
  label: text,
  unit,
  /** The number with its interval: three equal numbers where there is no interval; null where `note` says why. */
  value: estimate,
  /** null where the number stands beside the claim: its words do not speak of it. */
  verdict: partVerdict.nullable(),
  note: text.nullable(),
});
/** A number that an experiment reports; with a verdict, it decides. */
export type Figure = z.infer<typeof figure>;

/** The result of an experiment, apart from its measurements. */
const outcome = {
  verdict,
  reason: text,
  figures: list(figure),
};

const unmeasured = strict({ name: text, why: text });
/** A side that was not measured, and why. */
export type UnmeasuredSide = z.infer<typeof unmeasured>;

const comparison = strict({
  id: text,
  caseId: text,
  /** Page of its run, from the folder of the experiments on; null where nothing was measured. */
  report: text.nullable(),
  unmeasured: list(unmeasured),
});
/** A comparison of sides: the page of its run says what it found. */
export type ComparisonRecord = z.infer<typeof comparison>;

const result = strict({
  id: text,
  title: text,
  claim: text,
  source,
  published: text,
  ...outcome,
  comparisons: list(comparison),
  /** Folders of its loads, from that of the experiments on. */
  loads: texts,
  versions: record(text),
  startedAt: moment,
  durationMs: milliseconds,
});
/** The result of one experiment. */
export type ExperimentResult = z.infer<typeof result>;
/** The verdict of an experiment, the reason, and the numbers behind it. */
export type Outcome = Pick<ExperimentResult, keyof typeof outcome>;

/** Schema of `experiments.json`. */
export const experimentsSchema = strict({
  schemaVersion: z.literal(3),
  ...recordHead,
  status: z.enum(["running", "complete", "interrupted"]),
  machine,
  seed: count,
  /** Time of each experiment, without builds; null where each had a time of its own. */
  timeMs: milliseconds.nullable(),
  results: list(result),
  /** The result that was being measured when the run was interrupted. */
  unfinished: text.nullable(),
}).meta({
  title: "Evenbench experiments",
  description: "experiments.json: published claims, what was measured for each, and the verdicts.",
});
/** The record of a run of experiments. */
export type ExperimentsRun = z.infer<typeof experimentsSchema>;
