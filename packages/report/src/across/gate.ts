import { detectable, isDecided } from "@evenbench/stats";
import type { Change, Facts, TargetFacts } from "../facts/facts.ts";

/** A condition that a check of a change fails on. */
export interface FailOn {
  /** Which number is looked at. Default: "time". */
  readonly of?: "time" | "CPU time";
  readonly verdict: "slower" | "faster";
  /** Smallest change that counts, as a fraction. */
  readonly by: number;
}

/** What a condition finds in the changes of a comparison. */
export interface GateResult {
  /** The changes that meet it. */
  readonly met: readonly Change[];
  /** Those of which nobody can say that they do not meet it: without a verdict, or with an interval that reaches so far. */
  readonly open: readonly Change[];
  /** The changes by time of cases and targets of which the number that is asked for is not known. */
  readonly unknown: readonly Change[];
  /** Those that do not meet it, for sure. */
  readonly ruledOut: readonly Change[];
  /** The columns that were not compared at all; equal builds are no such. */
  readonly absent: readonly string[];
  /** Number of changes that the condition looks at, with targets whose builds are equal. */
  readonly asked: number;
}

/** Looks for a condition in what was compared. */
export function gate({ changes, targets }: Pick<Facts, "changes" | "targets">, failOn: FailOn): GateResult {
  const main = changes.filter(isMain);
  const metric = failOn.of === "CPU time" ? "cpuMs" : "lastByteMs";
  const asked = main.filter((change) => change.metric === metric);
  const others = absentIn({ changes, targets });
  const equal = others.filter(isEqual);
  const isKnown = ({ case: caseId, target }: Change) =>
    asked.some((change) => change.case === caseId && change.target === target);
  const met = asked.filter((change) => isMet(change, failOn));
  const open = asked.filter((change) => isOpen(change, failOn));
  return {
    met,
    open,
    ruledOut: asked.filter((change) => !met.includes(change) && !open.includes(change)),
    unknown: main.filter((change) => change.metric === "lastByteMs" && !isKnown(change)),
    absent: notCompared({ changes, targets }),
    asked: asked.length + equal.length,
  };
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

/** Finds the targets of whose columns nothing was compared. */
function absentIn({ changes, targets }: Pick<Facts, "changes" | "targets">): readonly TargetFacts[] {
  const names = new Set(changes.filter(isMain).map(({ target }) => target));
  const compared = new Set(targets.flatMap(({ name, column }) => (names.has(name) ? [column] : [])));
  return targets.filter(({ column, absent }) => absent !== null && !compared.has(column));
}

function isMain({ role, place }: Change): boolean {
  return role === "main" && place === null;
}

/** Finds the changes that meet a condition. */
export function failing(facts: Pick<Facts, "changes" | "targets">, failOn: FailOn): readonly Change[] {
  return gate(facts, failOn).met;
}

/**
 * Computes for each column the smallest slowdown, as a fraction, that would have been found in every case; only those that
 * have an interval.
 */
export function smallestFound({ changes, targets }: Facts, of: FailOn["of"]): ReadonlyMap<string, number> {
  const metric = of === "CPU time" ? "cpuMs" : "lastByteMs";
  const smallest = new Map<string, number>();
  for (const { role, metric: own, target, low, high } of changes) {
    if (role !== "main" || own !== metric || low === null || high === null) {
      continue;
    }
    const column = targets.find(({ name }) => name === target)?.column ?? target;
    smallest.set(column, Math.max(smallest.get(column) ?? 0, detectable({ low, high })));
  }
  return smallest;
}

/** Tells whether a change is so large, and of the verdict that is asked for. */
function isMet({ verdict: given, estimate, low, high }: Change, { verdict, by }: FailOn): boolean {
  if (estimate === null || low === null || high === null) {
    return false;
  }
  const isSlower = verdict === "slower";
  const isBeyond = isSlower ? estimate >= 1 + by : estimate <= 1 - by;
  const isToOneSide = isSlower ? low > 1 : high < 1;
  return isBeyond && (given === verdict || (given === "same" && isToOneSide));
}

function isOpen(change: Change, failOn: FailOn): boolean {
  const { verdict, low, high, low90, high90 } = change;
  if (low === null || high === null || verdict === "none") {
    return true;
  }
  if (isMet(change, failOn)) {
    return false;
  }
  // "same" is said within 5 %, and the condition may ask for less.
  if (verdict === "same") {
    return reaches(low90 ?? low, high90 ?? high, failOn);
  }
  return !isDecided(verdict) && reaches(low, high, failOn);
}

/** Tells whether some of an interval is where the condition is met. */
function reaches(low: number, high: number, { verdict, by }: FailOn): boolean {
  return verdict === "slower" ? high >= 1 + by : low <= 1 - by;
}
