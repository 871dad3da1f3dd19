// The form of facts.json, by which files of others are read. Each schema is held to the written type beside it.
import {
  amount,
  count,
  list,
  milliseconds,
  moment,
  record,
  strict,
  text,
  texts,
} from "@evenbench/core/schema";
import * as z from "zod";
import { FLAG_WORDS } from "../words/mark.ts";
import { METRICS } from "../words/metrics.ts";
import { WHY_WORDS } from "../words/why.ts";
import type * as facts from "./facts.ts";

/** Makes the schema of the keys of a table, which has every one of them. */
function oneOf<Key extends string>(table: Readonly<Record<Key, unknown>>) {
  return z.enum(Object.keys(table) as Key[]);
}

const metric = oneOf(METRICS) satisfies z.ZodType<facts.Metric>;

const why = oneOf(WHY_WORDS) satisfies z.ZodType<facts.Why>;

const flag = oneOf(FLAG_WORDS) satisfies z.ZodType<facts.Flag>;

/** Text that people or programs wrote: a title, a name, a quote. */
const shortText = z.string().max(10_000);

const state = z.enum(["before", "after"]);

const machine = strict({
  processor: shortText,
  cores: count,
  usableCores: amount.positive(),
  memoryBytes: count,
  system: shortText,
  coresApart: z.boolean(),
}) satisfies z.ZodType<facts.MachineFacts>;

const part = strict({
  id: shortText,
  state,
  commit: shortText.nullable(),
  changed: z.boolean().nullable(),
  machine: machine.nullable(),
}) satisfies z.ZodType<facts.RunPart>;

const run = strict({
  id: shortText,
  startedAt: moment,
  tookMs: milliseconds.nullable(),
  measuringMs: milliseconds,
  warmUpMs: milliseconds,
  status: z.enum(["complete", "interrupted", "running", "failed"]),
  quick: z.boolean(),
  command: texts.nullable(),
  settings: strict({ file: shortText, digest: shortText, keys: texts }).nullable(),
  seed: count.nullable(),
  trials: strict({ fewest: count, most: count, planned: count }),
  of: z.enum(["cases", "servers", "app", "states"]),
  from: z.enum(["local", "network", "places"]),
  machine: machine.nullable(),
  evenbench: shortText,
  commit: shortText.nullable(),
  repository: z.url({ protocol: /^https$/, error: "Not an https:// address" }).nullable(),
  parts: list(part),
  judgedFrom: z.enum(["samples", "ends"]),
}) satisfies z.ZodType<facts.RunFacts>;

const caseFacts = strict({
  id: shortText,
  title: shortText,
  description: shortText,
  path: text.nullable(),
  app: shortText,
  kindOfWork: shortText,
  source: shortText.nullable(),
  streams: z.boolean(),
  baseline: shortText.nullable(),
  notSameCode: shortText.nullable(),
  bodiesVary: shortText.nullable(),
}) satisfies z.ZodType<facts.CaseFacts>;

const target = strict({
  name: shortText,
  platform: shortText.nullable(),
  app: shortText.nullable(),
  column: shortText,
  spoken: shortText,
  copyOf: shortText.nullable(),
  state: state.nullable(),
  colour: count.max(7),
  runtime: shortText.nullable(),
  engine: shortText.nullable(),
  adapter: shortText.nullable(),
  artifact: shortText.nullable(),
  size: strict({ bytes: count, gzipBytes: count.nullable() }).nullable(),
  usdPerCpuHour: amount.nonnegative().nullable(),
  usdPerMillion: amount.nonnegative().nullable(),
  limits: list(
    strict({
      metric: z.enum([...metric.options, "sizeBytes", "gzipBytes"]),
      value: amount,
      source: shortText,
    }),
  ),
  absent: strict({ code: why, quote: text.nullable() }).nullable(),
}) satisfies z.ZodType<facts.TargetFacts>;

const load = strict({
  kind: z.enum(["concurrency", "rate", "capacity"]),
  value: amount.nonnegative().nullable(),
  condition: strict({ quantile: amount.min(0).max(1), limitMs: milliseconds }).nullable(),
}) satisfies z.ZodType<facts.Load>;

const placed = { load: load.nullable(), place: shortText.nullable() };

const level = strict({
  case: shortText.nullable(),
  target: shortText,
  metric,
  value: amount.nullable(),
  low: amount.nullable(),
  high: amount.nullable(),
  byTrial: list(amount),
  p95: amount.nullable(),
  p99: amount.nullable(),
  why: why.nullable(),
  ...placed,
}) satisfies z.ZodType<facts.Level>;

const ends = {
  estimate: amount.nullable(),
  low: amount.nullable(),
  high: amount.nullable(),
  low90: amount.nullable(),
  high90: amount.nullable(),
};

const change = strict({
  case: shortText.nullable(),
  target: shortText,
  baseline: shortText,
  metric,
  role: z.enum(["main", "copy", "other"]),
  unit: z.enum(["ratio", "ms"]),
  ...ends,
  boundMs: milliseconds.nullable(),
  verdict: z.enum(["faster", "slower", "same", "unclear", "none"]),
  why: why.nullable(),
  flags: list(flag),
  byTrial: list(amount),
  place: shortText.nullable(),
}) satisfies z.ZodType<facts.Change>;

const trend = strict({
  case: shortText.nullable(),
  target: shortText,
  baseline: shortText.nullable(),
  metric,
  ...ends,
  bound: amount,
  verdict: z.enum(["grows", "flat", "unclear", "none"]),
  why: why.nullable(),
}) satisfies z.ZodType<facts.Trend>;

const answer = strict({
  case: shortText,
  target: shortText,
  ...placed,
  requests: count,
  failed: count,
  resent: count,
  bytes: amount.nonnegative().nullable(),
  from: z.enum(["computed", "cache", "file", "build"]),
}) satisfies z.ZodType<facts.Answer>;

const setting = strict({
  key: shortText,
  mustBeEqual: z.boolean(),
  byTarget: list(strict({ target: shortText, value: text })),
}) satisfies z.ZodType<facts.Setting>;

const found = strict({
  case: shortText.nullable(),
  target: shortText.nullable(),
  trial: count.nullable(),
  ...placed,
  numbers: record(amount),
  differs: strict({ key: shortText, before: text, after: text }).nullable(),
  quote: text.nullable(),
}) satisfies z.ZodType<facts.Found>;

const notice = strict({
  code: shortText,
  weight: z.enum(["void", "caution"]),
  found: list(found),
}) satisfies z.ZodType<facts.Notice>;

const next = strict({
  why: z.enum(["more-trials", "more-time"]),
  cases: texts,
  options: record(shortText),
  aboutMs: milliseconds.nullable(),
  open: count,
  decides: count,
}) satisfies z.ZodType<facts.NextStep>;

const app = strict({
  folder: text,
  framework: shortText.nullable(),
  read: list(
    strict({
      file: shortText,
      applied: texts,
      notApplied: list(strict({ what: shortText, why: shortText })),
    }),
  ),
  simulated: list(strict({ target: shortText, binding: shortText, by: shortText })),
}) satisfies z.ZodType<facts.AppFacts>;

/** Schema of `facts.json`. */
export const factsSchema = strict({
  schema: z.literal(1),
  rules: count,
  run,
  cases: list(caseFacts),
  targets: list(target),
  levels: list(level),
  changes: list(change),
  trends: list(trend),
  answers: list(answer),
  settings: list(setting),
  notices: list(notice),
  next: list(next),
  app: app.nullable(),
}).meta({
  title: "Evenbench facts",
  description: "facts.json: what a run found, as data.",
}) satisfies z.ZodType<facts.Facts>;
