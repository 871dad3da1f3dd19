import {
  amount,
  count,
  deployableSize,
  interval,
  list,
  milliseconds,
  moment,
  record,
  strict,
  text,
} from "@evenbench/core/schema";
import { z } from "zod";

const metric = z.enum(["firstByteMs", "lastByteMs", "cpuMs"]);
/**
 * The number of a sample that is compared: the time to its first byte, to its last byte, or its CPU time.
 * Milliseconds.
 */
export type Metric = z.infer<typeof metric>;

const positive = amount.positive();
const ratio = strict({ estimate: positive, low: positive, high: positive }).nullable();

/** The ends of the ratio's narrower interval: 90 %, of two one-sided tests at 5 % each. Sameness is judged by it. */
const equivalence = strict({ low: positive, high: positive }).nullable().optional();

const kinds = strict({
  metric,
  lowMs: milliseconds,
  lowCount: count,
  highMs: milliseconds,
  highCount: count,
});

const warmUp = strict({
  warmFromExchange: count.nullable(),
  /** How much longer the first 10 exchanges take than warm ones: below 0 where these scatter. */
  first10Ms: amount.nullable(),
  first10CpuMs: amount.nullable(),
  first100Ms: amount.nullable(),
  first100CpuMs: amount.nullable(),
});

const providerCpu = strict({
  accountant: text,
  msPerRequest: milliseconds,
  interval: interval.nullable(),
  exchanges: count,
  joined: count,
});

const row = strict({
  caseId: text,
  target: text,
  baseline: text,
  sameWork: z.literal("assumed").exactOptional(),
  /** Why its answers come from a cache, so that nothing is compared; not there where they are computed. */
  cached: text.exactOptional(),
  /** The metric of the row's numbers. In rows of "cpuMs" times are CPU time for one exchange. */
  metric,
  /** True where the metric is the one that the case is judged by. */
  headline: z.boolean(),
  /** Why it has no verdict; null where it was warm. */
  notWarm: text.nullable(),
  /** Mean length of the body of its measured answers, in bytes; null without one. */
  responseBytes: count.nullable().optional(),
  exchanges: count,
  errors: count,
  /** Number of trials that count: those in which it was warm, or all where it has no verdict. */
  trials: count,
  /**
   * Level of the target's times, with the ends of its 99 % interval; null where there is none. In rows of "cpuMs" it
   * is made of means, not medians.
   */
  medianMs: milliseconds.nullable(),
  medianLowMs: milliseconds.nullable(),
  medianHighMs: milliseconds.nullable(),
  /** The medians of its trials, in rows of "cpuMs" their means, by which it is compared with other runs. */
  trialMs: list(milliseconds),
  meanMs: milliseconds.nullable(),
  p95Ms: milliseconds.nullable(),
  p99Ms: milliseconds.nullable().optional(),
  minimumMs: milliseconds.nullable(),
  maximumMs: milliseconds.nullable(),
  ratio,
  equivalence,
  /**
   * Difference that stands in the place of the ratio where several vantages measured; null where they are not
   * pooled.
   */
  differenceMs: interval.nullable().optional(),
  /** null for the baseline, and where nothing is compared. */
  verdict: text.nullable(),
  /** Time to the last byte less that of the payload of equal length and parts, whatever the row's metric. */
  computeMs: amount.nullable(),
  computeRatio: ratio,
  /** Largest deviation from 1 that the A/A control's interval allows, as a fraction; null without a control. */
  noiseFloor: amount.nullable(),
  cpuMsPerExchange: milliseconds.nullable(),
  /** Ratio of CPU time for one exchange, as means over whole trials. */
  cpuRatio: ratio,
  systemMsPerExchange: milliseconds.nullable(),
  minorFaultsPerExchange: amount.nonnegative().nullable(),
  residentBytes: count.nullable(),
  /**
   * Time from the start of the target's processes until it was ready, in milliseconds: the median of its cold
   * starts; null without any.
   */
  coldStartMs: milliseconds.nullable().optional(),
  /**
   * Time from the start of the target's processes until the last byte of its first answer, in milliseconds: the
   * geometric mean of its cold starts; null without any.
   */
  firstAnswerMs: milliseconds.nullable().optional(),
  /** Ratio of that time; null without cold starts of both sides. */
  firstAnswerRatio: ratio.optional(),
  /** The verdict on that ratio; null where there is none. */
  firstAnswerVerdict: text.nullable().optional(),
  /** US dollars for a million requests, by the prices of its platform; null where it names none. */
  usdPerMillion: strict({
    cpu: amount.nonnegative().nullable(),
    requests: amount.nonnegative().nullable(),
  })
    .nullable()
    .optional(),
  /**
   * Two kinds of instances, by CPU time, or by the headline where that is not reported; null where no two
   * were seen.
   */
  instanceKinds: kinds.nullable(),
  exchangeKinds: kinds.nullable(),
  warmUp: warmUp.nullable(),
  providerCpu: providerCpu.nullable(),
});
/** The report's numbers on one target in one case, for one metric. */
export type SummaryRow = z.infer<typeof row>;

/** Schema of `summary.json`. */
export const summarySchema = strict({
  schemaVersion: z.literal(2),
  runId: text,
  startedAt: moment,
  answer: text.nullable(),
  place: text,
  notices: list(text),
  /** A sentence that says after how many trials the run was stopped; not there where no trial was cut off. */
  stopped: text.exactOptional(),
  unproven: text.exactOptional(),
  /** The cases whose A/A control shows a difference, in a sentence; not there where none does. */
  failedChecks: text.exactOptional(),
  /** The ids of these cases; not there where there are none. */
  failedCheckCases: list(text).exactOptional(),
  damage: text.nullable(),
  /** Sizes of what the platforms were given, by target; null where that was not recorded. */
  sizes: record(deployableSize.nullable()).optional(),
  rows: list(row),
}).meta({
  title: "Evenbench summary",
  description: "summary.json: what the report says of each target in each case.",
});
/** The summary of a run: what its report says, as data. */
export type RunSummary = z.infer<typeof summarySchema>;
