import { existsSync } from "node:fs";
import { digestOfDirectory } from "@evenbench/bundle";
import {
  type CaseManifest,
  type Golden,
  openRecord,
  type Reason,
  recordOfPlatform,
  UserError,
} from "@evenbench/core";
import {
  type AbsentPair,
  createReport,
  type Facts,
  type MeasuredPair,
  noticeLine,
  type OtherWork,
  type PairedTarget,
} from "@evenbench/report";
import {
  isOfPlatform,
  type LocalTarget,
  run as measure,
  type RunOptions,
  usualTotal,
} from "@evenbench/runner";
import { askedFor } from "../asked.ts";
import type { Conditions } from "../gate.ts";
import { progressListeners, shortPath } from "../measuring.ts";
import { measuredFor, startsOf } from "../own-app-options.ts";
import { runDescriber } from "../progress.ts";
import { provenByApp } from "../proving.ts";
import { sayNote } from "../say.ts";
import { deployableIn } from "./base.ts";

/** Two states of a target that differ, each built, and the cases to compare them by. */
export interface Pair {
  readonly name: string;
  readonly base: LocalTarget;
  readonly head: LocalTarget;
  readonly cases: readonly CaseManifest[];
}

/** Targets in two states: those that differ in pairs, and why the others are not measured. */
export interface PairedTargets {
  readonly changed: readonly Pair[];
  readonly absent: readonly AbsentPair[];
}

/** Makes the two states of a target that differ. */
export function pairOf(base: LocalTarget, head: LocalTarget, cases: readonly CaseManifest[]): Pair {
  const { name } = head;
  return {
    name,
    base: { ...base, name: `${name}.base`, state: "before" },
    head: { ...head, name: `${name}.head`, state: "after" },
    cases,
  };
}

/** Names a target, whatever its state. */
export function namedAs(target: LocalTarget): PairedTarget {
  const { name, platform } = target;
  const spoken = isOfPlatform(target) ? recordOfPlatform(platform, "local").spoken : name;
  return { name, spoken };
}

/** Pairs targets with their earlier states, whose deployables lie at the same place in the other checkout. */
export async function pairUp(
  targets: readonly LocalTarget[],
  cases: Readonly<Record<string, readonly CaseManifest[]>>,
  baseFolder: string,
): Promise<PairedTargets> {
  const changed: Pair[] = [];
  const absent: AbsentPair[] = [];
  for (const target of targets) {
    const { deployable, app } = target;
    const states = { base: deployableIn(baseFolder, target), "working copy": deployable };
    const missing = Object.entries(states).flatMap(([state, place]) => (existsSync(place) ? [] : [state]));
    if (missing.length > 0) {
      const quote = `It is not in the ${missing.join(" and the ")}, or is not built there.`;
      absent.push({ ...namedAs(target), code: "one-state-only", quote });
      continue;
    }
    const [before, after] = await Promise.all(Object.values(states).map(digestOfDirectory));
    if (before === after) {
      absent.push({ ...namedAs(target), code: "equal-builds", quote: null });
    } else {
      changed.push(pairOf({ ...target, deployable: states.base }, target, cases[app.id] ?? []));
    }
  }
  return { changed, absent };
}

/** Options of the runs that compare pairs. Times are in milliseconds. */
export interface PairOptions
  extends Pick<RunOptions, "seed" | "allow" | "sameWork" | "ownApp" | "cold" | "memory">,
    Conditions {
  readonly time?: number;
  readonly out: string;
  readonly otherCaseIds: readonly string[];
  readonly signal: AbortSignal;
}

/** The setting in which two builds may differ. */
const BUILD = "artifact";

/** Least milliseconds of all cases without a set time: instances differ by so much that 10 % is found after minutes. */
const LEAST_OPEN_MS = 240_000;
const MOST_TRIALS = 30;

/** What measuring pairs gave. */
export interface MeasuredPairs {
  readonly pairs: readonly MeasuredPair[];
  readonly absent: readonly AbsentPair[];
  readonly otherWork: readonly OtherWork[];
  /** What ended early, or could not be measured. */
  readonly unfinished: readonly Reason[];
}

/** Measures pairs, a run for each target: one that cannot be measured leaves the others theirs. */
export async function measurePairs(pairs: readonly Pair[], options: PairOptions): Promise<MeasuredPairs> {
  const measured: MeasuredPair[] = [];
  const absent: AbsentPair[] = [];
  const otherWork: OtherWork[] = [];
  const unfinished: Reason[] = [];
  for (const pair of pairs) {
    if (options.signal.aborted) {
      continue;
    }
    const named = namedAs({ ...pair.head, name: pair.name });
    if (pair.cases.length === 0) {
      absent.push({
        ...named,
        code: "not-measured",
        quote: "None of the cases that were chosen is its own.",
      });
      continue;
    }
    try {
      const { objections, golden } = await compareStates(pair, options);
      otherWork.push(...pair.cases.flatMap((manifest) => otherWorkIn(pair, manifest, objections)));
      if (objections.size === pair.cases.length) {
        continue;
      }
      const alike = pair.cases.filter(({ id }) => !objections.has(id));
      const cases = alike.map((manifest) => ({ ...manifest, golden: golden[manifest.id] ?? null }));
      const otherCaseIds = [...options.otherCaseIds, ...objections.keys()];
      const facts = await measurePair({ ...pair, cases }, { ...options, otherCaseIds });
      measured.push({ ...named, facts });
      const sentences = unfinishedOf(facts, pair.name);
      unfinished.push(...sentences.map((message) => ({ message, quotes: [] })));
    } catch (error) {
      // As a disk that is full: what was found before is still told.
      if (!(error instanceof UserError)) {
        throw error;
      }
      // What an interruption cut off has failed, too. No report says more, so the whole reason is here.
      if (!options.signal.aborted) {
        const quote = error.message.trim();
        unfinished.push({ message: `Not measured: ${pair.name}. ${quote}`, quotes: error.quotes });
        absent.push({ ...named, code: "not-started", quote });
      }
    }
  }
  return { pairs: measured, absent, otherWork, unfinished };
}

/** Names a case in which both states of a target do other work; empty where they do the same. */
function otherWorkIn(
  { name, head }: Pair,
  { id, title, description, path, kind }: CaseManifest,
  objections: ReadonlyMap<string, string>,
): readonly OtherWork[] {
  const quote = objections.get(id);
  if (quote === undefined) {
    return [];
  }
  const shownPath = isOfPlatform(head) && head.ownServer === undefined ? null : path;
  const facts = { id, title, description, path: shownPath, app: head.app.id, kindOfWork: kind ?? title };
  return [{ target: namedAs({ ...head, name }), case: facts, quote }];
}

/**
 * Finds the cases in which two states do the same work. A case that is new, or sends another body than before, is other
 * work, and no change of speed. The working copy's golden values do not count: what both states agree on does.
 */
async function compareStates(
  { base, head, cases }: Pair,
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
        objections.set(id, problem.what);
      }
    }
  }
  return { objections, golden };
}

async function measurePair({ name, base, head, cases }: Pair, options: PairOptions): Promise<Facts> {
  const ofApp = { [base.app.id]: cases };
  const { clear, onTurn: _, ...watched } = progressListeners(runDescriber(ofApp), options.signal);
  // An owner's answer has them.
  const { cold, startUps } = startsOf(options, options.ownApp !== undefined);
  sayNote(`Measuring ${name}.`);
  const { folder } = await measure({
    ...options,
    ...watched,
    ...measuredFor(options, { ...options, cold, startUps }),
    asked: askedFor(),
    targets: [base, head],
    baseline: base.name,
    cases: ofApp,
    expectedToDiffer: [BUILD],
    openMs: Math.max(usualTotal(cases.length), LEAST_OPEN_MS),
    mostTrials: MOST_TRIALS,
    timeMs: options.time ?? null,
  });
  clear();
  const { facts, htmlFile } = await createReport(folder);
  sayNote(`Report of ${name}: ${shortPath(htmlFile)}`);
  return facts;
}

/** Lists sentences on what a run left undone; none after an interruption, of which its user knows. */
export function unfinishedOf(facts: Facts, name: string): readonly string[] {
  const { status } = facts.run;
  if (status === "interrupted") {
    return [];
  }
  const voids = facts.notices.filter(({ weight }) => weight === "void");
  const reasons = voids.flatMap(({ code, found }) =>
    found.map(
      (place) => place.quote?.trim().split("\n")[0] ?? `${noticeLine(facts, { code, found: [place] })}.`,
    ),
  );
  if (reasons.length === 0 && status !== "complete") {
    reasons.push(`The run of ${name} is ${status}.`);
  }
  return reasons.map((reason) => `Not fully measured: ${reason} (The report of ${name} says more.)`);
}
