import { count, identity, list, milliseconds, strict, text } from "@evenbench/core/schema";
import * as z from "zod";
import { event, machine, recordHead } from "./run.ts";

const share = z.number().min(0).max(1);

const ownerKind = z.enum([
  "case",
  "package",
  "adapter",
  "harness",
  "runtime",
  "collector",
  "program",
  "idle",
  "unattributed",
]);
/** Whose code took time. */
export type OwnerKind = z.infer<typeof ownerKind>;

const selfTimeRow = strict({ kind: ownerKind, name: text, samples: count, share: share.nullable() });
/** Somebody whose code took time: a kind, and a name such as that of a package. */
export type Owner = Pick<z.infer<typeof selfTimeRow>, "kind" | "name">;

const hotFunction = strict({
  /** Name of the function as V8 has it, after the bundler's own renaming; "(anonymous)" without a name, "(top level)" of a module. */
  name: text,
  /** Name of whose it is, as in a row. */
  owner: text,
  /** The source where a source map leads there, else what was built of it. */
  file: text,
  /**
   * Line at which the function begins, from 1; of a module's top level that with the most samples, and null where V8 names
   * none.
   */
  line: count.nullable(),
  samples: count,
  /** Fraction of all samples that were not idle. */
  share,
});
/** A function in which samples were taken. */
export type HotFunction = z.infer<typeof hotFunction>;

const selfTimeFields = {
  samples: count,
  busySamples: count,
  /** Times by owner, the largest first and idle last. Their samples add up to `samples`. */
  rows: list(selfTimeRow),
  collectorShare: share,
  unattributedShare: share,
  /** Functions with the most samples, the largest first, at most five, without the runtime's own. */
  hottest: list(hotFunction),
};
/** The distribution of a profile's samples among owners. */
export type SelfTime = Pick<TargetRecord, keyof typeof selfTimeFields>;

const loadFields = { exchanges: count, elapsedMs: milliseconds };
const load = strict(loadFields);
/** The load under a profile: one connection, which sends the next request when the last one's body has ended. */
export type ProfileLoad = z.infer<typeof load>;

const warmup = strict({ ...loadFields, steady: z.boolean(), needed: count.nullable() });

const target = strict({
  target: text,
  caseId: text,
  identity,
  /** Time between two samples that was asked for, in microseconds. */
  intervalUs: count,
  sampledMs: milliseconds,
  cpuMs: milliseconds.nullable(),
  /** null of a start: nothing was warmed up, and no request asked for the case. */
  warmup: warmup.nullable(),
  load: load.nullable(),
  ...selfTimeFields,
  file: text,
});
/** The profile of one target. */
export type TargetRecord = z.infer<typeof target>;

const keptRow = strict({
  /** Name of the constructor; what has none, such as a text, has V8's word in brackets. */
  name: text,
  objects: count,
  bytes: count,
});
/** Objects of one constructor that were kept. */
export type KeptRow = z.infer<typeof keptRow>;

const keptTarget = strict({
  target: text,
  caseId: text,
  identity,
  /** Number of requests between the two snapshots. */
  requests: count,
  /** What the second snapshot has more than the first, the most bytes first, at most ten. */
  rows: list(keptRow),
  before: text,
  after: text,
});
/** What one target kept between two snapshots of its heap. */
export type KeptRecord = z.infer<typeof keptTarget>;

/** Schema of `profile.json`. */
export const profileSchema = strict({
  schemaVersion: z.literal(1),
  ...recordHead,
  machine,
  caseId: text,
  of: z.enum(["requests", "start", "memory"]),
  collectorCounted: text,
  targets: list(target),
  kept: list(keptTarget),
  events: list(event),
}).meta({
  title: "Evenbench profile",
  description:
    "profile.json: where the time of several targets goes, under the load of one case or at their start, or what they keep.",
});
/** The record of a profile. */
export type ProfileRecord = z.infer<typeof profileSchema>;
