import { detectable } from "@evenbench/stats";
import type { Change, Facts, Metric, TargetFacts, Why } from "../facts/facts.ts";
import type { Judged } from "../facts/trends.ts";

/** The quantities that a condition may ask, by its word for them. */
const METRICS_ASKED = {
  time: ["lastByteMs"],
  "CPU time": ["cpuMs"],
  "start-up": ["startupCpuMs"],
  memory: ["heapBytes", "bufferBytes"],
} as const satisfies Readonly<Record<string, readonly Metric[]>>;

/** What a condition asks. */
export type Asked = keyof typeof METRICS_ASKED;

/** A condition that a check of a change fails on. */
export interface FailOn {
  /** Which number is looked at. Default: "time". */
  readonly of?: Asked;
  /** "grows" is asked of memory, the others of all else. */
  readonly verdict: "slower" | "faster" | "grows";
  /** Smallest change that counts: a fraction; of memory the bytes that each request adds. */
  readonly by: number;
}

/** What a condition looks at but what was not measured. */
export type Unmeasured = Pick<Judged, "case" | "target">;

/** What a condition finds in the changes of a comparison. */
export interface GateResult {
  readonly met: readonly Judged[];
  /** What nobody can say of that it does not meet it: without a verdict, or with an interval that reaches so far. */
  readonly open: readonly Judged[];
  /** The targets, in cases where it asks these, of which the number that is asked for is not known. */
  readonly unknown: readonly Unmeasured[];
  /** What does not meet it, for sure. */
  readonly ruledOut: readonly Judged[];
  /** The columns that were not compared at all; equal builds are no such. */
  readonly absent: readonly string[];
  /** Number of changes that the condition looks at, with targets whose builds are equal. */
  readonly asked: number;
}

/** The facts that a condition looks at. */
export type GateFacts = Pick<Facts, "run" | "changes" | "levels" | "targets" | "trends">;

/** Looks for a condition in what was measured. */
export function gate(facts: GateFacts, failOn: FailOn): GateResult {
  const { of = "time" } = failOn;
  const asked = judgedOf(facts, of);
  const others = absentIn(facts);
  const equal = others.filter(isEqual);
  const met = asked.filter((judged) => isMet(judged, failOn));
  const open = asked.filter((judged) => isOpen(judged, failOn));
  return {
    met,
    open,
    ruledOut: asked.filter((judged) => !met.includes(judged) && !open.includes(judged)),
    unknown: unmeasuredIn(facts, of, asked),
    absent: notCompared(facts),
    asked: asked.length + equal.length,
  };
}

/** Lists what a condition looks at: of two states how memory grows beyond the earlier one, elsewhere how it grows. */
function judgedOf({ run, changes, trends }: GateFacts, of: Asked): readonly Judged[] {
  const metrics: readonly Metric[] = METRICS_ASKED[of];
  const ofMetrics = ({ metric }: Judged) => metrics.includes(metric);
  if (of !== "memory") {
    return changes.filter(isMain).filter(ofMetrics);
  }
  return trends.filter(ofMetrics).filter(({ baseline }) => (baseline !== null) === (run.of === "states"));
}

/** Lists what was measured by its time, and not by what a condition asks. */
function unmeasuredIn(facts: GateFacts, of: Asked, known: readonly Judged[]): readonly Unmeasured[] {
  const isKnown = (place: Unmeasured) =>
    known.some((each) => each.target === place.target && (each.case ?? place.case) === place.case);
  const unknown = timedIn(facts, of).filter((place) => !isKnown(place));
  // A start is of all cases.
  return of === "start-up"
    ? [...new Set(unknown.map(({ target }) => target))].map((target) => ({ case: null, target }))
    : unknown;
}

/** Lists what has a time: what is compared; where growth is asked that is compared with nothing, every target. */
function timedIn({ run, changes, levels, targets }: GateFacts, of: Asked): readonly Unmeasured[] {
  if (of !== "memory" || run.of === "states") {
    return changes.filter((change) => isMain(change) && change.metric === "lastByteMs");
  }
  const copies = new Set(targets.flatMap(({ name, copyOf }) => (copyOf === null ? [] : [name])));
  return levels.filter(({ metric, target }) => metric === "lastByteMs" && !copies.has(target));
}

/** Lists the columns that were not compared at all; equal builds are no such. */
export function notCompared(facts: Pick<Facts, "changes" | "targets">): readonly string[] {
  return absentIn(facts)
    .filter((target) => !isEqual(target))
    .map(({ column }) => column);
}

function isEqual({ absent }: TargetFacts): boolean {
  return absent?.code === "equal-builds";
}

function absentIn({ changes, targets }: Pick<Facts, "changes" | "targets">): readonly TargetFacts[] {
  const names = new Set(changes.filter(isMain).map(({ target }) => target));
  const compared = new Set(targets.flatMap(({ name, column }) => (names.has(name) ? [column] : [])));
  return targets.filter(({ column, absent }) => absent !== null && !compared.has(column));
}

/** The reasons for which two answers were not compared, though both states were to give one. */
const NOT_COMPARED: ReadonlySet<Why | null> = new Set<Why>([
  "no-answer",
  "bad-answer",
  "answers-differ",
  "not-built",
  "not-started",
  "dropped",
  "cached",
  "not-measured",
]);

/** Tells whether what a condition asks was compared, whatever came of it. */
export function wasCompared({ verdict, why }: Pick<Judged, "verdict" | "why">): boolean {
  return verdict !== "none" || !NOT_COMPARED.has(why);
}

function isMain({ role, place }: Change): boolean {
  return role === "main" && place === null;
}

/** Finds what meets a condition. */
export function failing(facts: GateFacts, failOn: FailOn): readonly Judged[] {
  return gate(facts, failOn).met;
}

/**
 * Computes the smallest rise, as a fraction, that would have been found in every case, by column; none without an
 * interval.
 */
export function smallestFound(
  { changes, targets }: Pick<Facts, "changes" | "targets">,
  of: Asked = "time",
): ReadonlyMap<string, number> {
  const metrics: readonly Metric[] = METRICS_ASKED[of];
  const smallest = new Map<string, number>();
  for (const { role, metric: own, target, low, high } of changes) {
    if (role !== "main" || !metrics.includes(own) || low === null || high === null) {
      continue;
    }
    const column = targets.find(({ name }) => name === target)?.column ?? target;
    smallest.set(column, Math.max(smallest.get(column) ?? 0, detectable({ low, high })));
  }
  return smallest;
}

/** How far a condition's way something is: its estimate and the ends of its intervals, where 0 is no change. */
interface Reach {
  readonly estimate: number;
  /** The end that is nearest to no change, and the farthest one. */
  readonly least: number;
  readonly most: number;
  /** The farthest end of the 90 % interval. */
  readonly most90: number;
}

/** Gives how far something goes the way that a condition asks; null without an interval. */
function reachOf(judged: Judged, verdict: FailOn["verdict"]): Reach | null {
  const { estimate, low, high, low90, high90 } = judged;
  if (estimate === null || low === null || high === null) {
    return null;
  }
  // Growth has a bound, and none is 0; a ratio is 1 where nothing changed.
  const unchanged = "bound" in judged ? 0 : 1;
  const sign = verdict === "faster" ? -1 : 1;
  const [nearest, farthest] = verdict === "faster" ? [high, low] : [low, high];
  const farthest90 = verdict === "faster" ? low90 : high90;
  const along = (value: number) => sign * (value - unchanged);
  return {
    estimate: along(estimate),
    least: along(nearest),
    most: along(farthest),
    most90: along(farthest90 ?? farthest),
  };
}

/** Tells whether something was found to be the same, or not to grow. */
function isUnchanged({ verdict }: Judged): boolean {
  return verdict === "same" || verdict === "flat";
}

function isMet(judged: Judged, { verdict, by }: FailOn): boolean {
  const reach = reachOf(judged, verdict);
  if (reach === null || reach.estimate < by) {
    return false;
  }
  return judged.verdict === verdict || (isUnchanged(judged) && reach.least > 0);
}

function isOpen(judged: Judged, condition: FailOn): boolean {
  const reach = reachOf(judged, condition.verdict);
  if (reach === null || judged.verdict === "none") {
    return true;
  }
  if (isMet(judged, condition)) {
    return false;
  }
  // "same" is said within 5 %, and the condition may ask for less.
  if (isUnchanged(judged)) {
    return reach.most90 >= condition.by;
  }
  return judged.verdict === "unclear" && reach.most >= condition.by;
}
