import { existsSync } from "node:fs";
import { digestOfDirectory } from "@evenbench/bundle";
import { type CaseManifest, type Golden, openRecord, UserError } from "@evenbench/core";
import { createReport, type FailOn } from "@evenbench/report";
import type { Run } from "@evenbench/results";
import { type LocalTarget, run as measure, type RunOptions, usualTotal } from "@evenbench/runner";
import { askedFor } from "../asked.ts";
import { isWhole, progressListeners } from "../measuring.ts";
import { APP_COLD_STARTS } from "../options.ts";
import { describeRun } from "../progress.ts";
import { provenByApp } from "../proving.ts";
import { sayNote } from "../say.ts";
import { deployableIn } from "./base.ts";
import { type AgainstOutcome, type Finding, findingsOf } from "./findings.ts";

export type { Finding } from "./findings.ts";

/** Two states of a target that differ, each built, and the cases to compare them by. */
export interface Pair {
  /** The target's name. */
  readonly name: string;
  readonly base: LocalTarget;
  readonly head: LocalTarget;
  readonly cases: readonly CaseManifest[];
}

/** Targets in two states: those that differ in pairs, and words on the others. */
export interface PairedTargets extends Pick<AgainstOutcome, "equal" | "casesOfOneState"> {
  readonly changed: readonly Pair[];
}

/** Pairs targets with their earlier states, whose deployables lie at the same place in the other checkout. */
export async function pairUp(
  targets: readonly LocalTarget[],
  cases: Readonly<Record<string, readonly CaseManifest[]>>,
  baseFolder: string,
): Promise<PairedTargets> {
  const changed: Pair[] = [];
  const equal: string[] = [];
  const casesOfOneState: string[] = [];
  for (const target of targets) {
    const { name, deployable, app } = target;
    const states = { base: deployableIn(baseFolder, target), "working copy": deployable };
    const missing = Object.entries(states).flatMap(([state, place]) => (existsSync(place) ? [] : [state]));
    if (missing.length > 0) {
      casesOfOneState.push(`${name} is not in the ${missing.join(" and the ")}, or is not built there.`);
      continue;
    }
    const [before, after] = await Promise.all(Object.values(states).map(digestOfDirectory));
    if (before === after) {
      equal.push(name);
    } else {
      changed.push({
        name,
        base: { ...target, name: `${name}.base`, deployable: states.base },
        head: { ...target, name: `${name}.head` },
        cases: cases[app.id] ?? [],
      });
    }
  }
  return { changed, equal, casesOfOneState };
}

/** Options of the runs that compare pairs. Times are in milliseconds. */
export interface PairOptions extends Pick<RunOptions, "seed" | "allow" | "sameWork" | "ownApp"> {
  readonly time?: number;
  readonly out: string;
  readonly otherCaseIds: readonly string[];
  /** The condition that the outcome is checked by. Default: none. */
  readonly failOn?: FailOn | undefined;
  readonly signal: AbortSignal;
}

/** The setting in which two builds may differ. */
const BUILD = "artifact";

/**
 * Milliseconds that a case has at least if its user sets no time. One that is decided ends sooner; instances of
 * others differ by so much that 10 % is found after minutes.
 */
const LEAST_OPEN_MS = 240_000;
/** Largest number of trials of a case. */
const MOST_TRIALS = 30;

/** Measures pairs, a run for each target: one that cannot be measured leaves the others theirs. */
export async function measurePairs(
  pairs: readonly Pair[],
  options: PairOptions,
): Promise<Pick<AgainstOutcome, "findings" | "casesOfOneState" | "unfinished">> {
  const findings: Finding[] = [];
  const casesOfOneState: string[] = [];
  const unfinished: string[] = [];
  for (const pair of pairs) {
    if (pair.cases.length === 0 || options.signal.aborted) {
      continue;
    }
    try {
      const { objections, golden } = await compareStates(pair, options);
      casesOfOneState.push(...objections.values());
      if (objections.size === pair.cases.length) {
        continue;
      }
      const alike = pair.cases.filter(({ id }) => !objections.has(id));
      const cases = alike.map((manifest) => ({ ...manifest, golden: golden[manifest.id] ?? null }));
      const otherCaseIds = [...options.otherCaseIds, ...objections.keys()];
      const { report, run } = await measurePair({ ...pair, cases }, { ...options, otherCaseIds });
      findings.push(...findingsOf(report.data.cases, pair.name));
      unfinished.push(...unfinishedOf(run, pair.name));
    } catch (error) {
      // As a disk that is full: what was found before is still told.
      if (!(error instanceof UserError)) {
        throw error;
      }
      // What an interruption cut off has failed, too. No report says more, so the whole reason is here.
      if (!options.signal.aborted) {
        unfinished.push(`Not measured: ${pair.name}. ${error.message.trim()}`);
      }
    }
  }
  return { findings, casesOfOneState, unfinished };
}

/**
 * Finds the cases in which two states do the same work. A case that is new, or sends another body than before, is
 * other work, and no change of speed. Golden values are the working copy's: the two states are held against one
 * another, and what they agree on is what the run is to find.
 */
async function compareStates(
  { base, head, cases, name }: Pair,
  { allow = [], otherCaseIds, sameWork, signal }: PairOptions,
): Promise<{ readonly objections: ReadonlyMap<string, string>; readonly golden: Record<string, Golden> }> {
  const pair = { targets: [base, head], cases: { [base.app.id]: cases }, otherCaseIds };
  const terms = {
    accept: cases.map(({ id }) => id),
    allow: [BUILD, ...allow],
    ...(sameWork !== undefined && { sameWork }),
    signal,
  };
  const objections = new Map<string, string>();
  const golden = openRecord<Golden>();
  for await (const { result } of provenByApp(pair, terms)) {
    Object.assign(golden, result.toConfirm);
    for (const { id } of cases) {
      const problem = result.problems.find(({ caseId }) => caseId === id);
      if (problem !== undefined) {
        objections.set(id, `${id} on ${name} is not compared: ${problem.what}`);
      }
    }
  }
  return { objections, golden };
}

async function measurePair({ name, base, head, cases }: Pair, options: PairOptions) {
  const { clear, onTurn: _, ...watched } = progressListeners(describeRun, options.signal, ` ${name}`);
  const { folder, run } = await measure({
    ...options,
    ...watched,
    // An owner's answer has them.
    ...(options.ownApp !== undefined && { cold: APP_COLD_STARTS }),
    asked: askedFor(),
    targets: [base, head],
    baseline: base.name,
    cases: { [base.app.id]: cases },
    expectedToDiffer: [BUILD],
    openMs: Math.max(usualTotal(cases.length), LEAST_OPEN_MS),
    mostTrials: MOST_TRIALS,
    timeMs: options.time ?? null,
    // A condition on time may be ruled out by trials that decide no verdict on it.
    endsOnCpuTime: options.failOn === undefined || options.failOn.of === "CPU time",
  });
  clear();
  const report = await createReport(folder);
  sayNote(`Report of ${name}: ${report.htmlFile}`);
  return { report, run };
}

/** Lists sentences on what a run left undone; none after an interruption, of which its user knows. */
export function unfinishedOf(
  { status, events }: Pick<Run, "status" | "events">,
  name: string,
): readonly string[] {
  if (status === "interrupted" || isWhole({ status, events })) {
    return [];
  }
  const reasons = events
    .filter(({ kind }) => kind === "target-dropped" || kind === "case-failed")
    .map(({ detail }) => detail.trim().split("\n")[0]);
  if (reasons.length === 0) {
    reasons.push(`The run of ${name} is ${status}.`);
  }
  return reasons.map((reason) => `Not fully measured: ${reason} (The report of ${name} says more.)`);
}
