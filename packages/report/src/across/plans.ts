// What two runs that are compared must have in common: where it differs, with both values.
import { createHash } from "node:crypto";
import { formatDuration } from "@evenbench/core";
import { formatBytes, listed } from "@evenbench/page";
import { COMPARED_SETTINGS, type Run } from "@evenbench/results";
import type { Facts, MachineFacts, TargetFacts } from "../facts/facts.ts";

/** A run that is compared: its record, and what was found. */
export interface MeasuredRun {
  readonly run: Run;
  readonly facts: Facts;
}

/** What differs between two runs, by a code, with the value in each. */
export interface Difference {
  /** The case, or the target, that it is about; null: the whole runs. */
  readonly case: string | null;
  readonly target: string | null;
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

type Values = Readonly<Record<string, string>>;

/** Number of letters of a digest that are shown: enough to tell two apart. */
const LETTERS_OF_DIGEST = 8;
/** Ratio of two time limits from which on they differ: limits come from what preflight saw. */
const MOST_TIME_APART = 1.25;
/** The setting that is the digest of a build: what differs there is what is compared. */
const BUILD = "artifact";

/**
 * Lists why two runs cannot be held against one another: one is not whole, or is a smoke test, or their plans differ.
 * Empty where nothing speaks against it.
 */
export function objectionsTo(before: MeasuredRun, after: MeasuredRun): readonly Difference[] {
  const states = [before, after].map(stateOf) as [Values, Values];
  const usual = stateOfWholeRun();
  const isUnusual = ({ key, before: then, after: now }: Difference) =>
    then !== usual[key] || now !== usual[key];
  const found = listAll(...states).filter(isUnusual);
  const plans = differing(planOf(before.run), planOf(after.run));
  return [...found, ...plans];
}

/** Tells whether two folders have the same run, also where one is a copy of the other: their samples are equal. */
export function isSameRun(before: MeasuredRun, after: MeasuredRun): boolean {
  const identityOf = ({ run: { id, startedAt, samples } }: MeasuredRun) =>
    samples?.count ? samples.sha256 : `${id} ${startedAt}`;
  return identityOf(before) === identityOf(after);
}

/** Lists why a case of two runs cannot be compared: it had another time, or is other work in the two. */
export function objectionsToCase(
  caseId: string,
  before: MeasuredRun,
  after: MeasuredRun,
): readonly Difference[] {
  const [then, now] = [before, after].map(({ run }) => run.plan.cases.find(({ id }) => id === caseId));
  if (then === undefined || now === undefined) {
    return [];
  }
  const ofPlans = differing(workOf(then), workOf(now), caseId);
  const work = ofPlans.length > 0 ? ofPlans : lengthsThatDiffer(caseId, before.facts, after.facts);
  const [timeBefore = 0, timeAfter = 0] = [before, after].map(({ run }) => run.plan.caseLimitMs[caseId] ?? 0);
  const isLike = Math.max(timeBefore, timeAfter) <= MOST_TIME_APART * Math.min(timeBefore, timeAfter);
  if (isLike) {
    return work;
  }
  return [...work, ...differing({ time: timeWords(timeBefore) }, { time: timeWords(timeAfter) }, caseId)];
}

/** Ratio of the mean lengths of two answers from which on they are other ones, whether or not a digest says so. */
const MOST_LENGTH_APART = 1.25;

/** Lists the targets whose answers are much longer in one run: of answers that vary nothing else is known. */
function lengthsThatDiffer(caseId: string, before: Facts, after: Facts): readonly Difference[] {
  const ofCase = ({ answers, targets }: Facts) => {
    const originals = targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
    return answers.filter(
      ({ case: id, place, target }) => id === caseId && place === null && originals.includes(target),
    );
  };
  return ofCase(after).flatMap(({ target, bytes: now }) => {
    const then = ofCase(before).find((answer) => answer.target === target)?.bytes ?? null;
    if (then === null || now === null || Math.max(then, now) <= MOST_LENGTH_APART * Math.min(then, now)) {
      return [];
    }
    return listAll({ length: formatBytes(then) }, { length: formatBytes(now) }, caseId, target);
  });
}

/** Lists what else differs between two runs, and forbids no comparison: machine, versions, settings, order. */
export function conditionsThatDiffer(before: Facts, after: Facts): readonly Difference[] {
  const ofRuns = differing(conditionsOf(before), conditionsOf(after));
  const ofTargets = after.targets.flatMap((target) => {
    const then = before.targets.find(({ name }) => name === target.name);
    return then === undefined ? [] : differing(versionsOf(then), versionsOf(target), null, target.name);
  });
  const isReversed = Date.parse(before.run.startedAt) > Date.parse(after.run.startedAt);
  const order = isReversed ? listAll({ start: before.run.startedAt }, { start: after.run.startedAt }) : [];
  return [...order, ...ofRuns, ...ofTargets, ...settingsThatDiffer(before, after)];
}

function settingsThatDiffer(before: Facts, after: Facts): readonly Difference[] {
  return after.settings
    .filter(({ key }) => key !== BUILD)
    .flatMap(({ key, byTarget }) => {
      const known = before.settings.find((setting) => setting.key === key)?.byTarget ?? [];
      return byTarget.flatMap(({ target, value }) => {
        const then = known.find((other) => other.target === target)?.value ?? value;
        return differing({ [key]: then }, { [key]: value }, null, target);
      });
    });
}

/** How far a run came, by the codes of what may be wrong. */
function stateOf({ run, facts }: MeasuredRun): Values {
  const isDamaged = facts.notices.some(({ code }) => code === "samples-damaged");
  return {
    status: run.status,
    samples: isDamaged ? "damaged" : "whole",
    "smoke-test": run.plan.quick === true ? "yes" : "no",
  };
}

/** The state of a run that nothing speaks against. */
function stateOfWholeRun(): Values {
  return { status: "complete", samples: "whole", "smoke-test": "no" };
}

/** What has to be equal in two plans: what can be chosen, and what experiments alone change. */
function planOf({ plan }: Run): Values {
  return {
    targets: listed(plan.targets.map(({ name }) => name).sort()),
    ...Object.fromEntries(COMPARED_SETTINGS.map(({ key, describe }) => [key, describe(plan)])),
    "requests-in-a-row": String(plan.spacing),
    pauses: plan.pauseMs === 0 ? "none" : formatDuration(plan.pauseMs),
  };
}

/** The work of a case: a ratio of other work says nothing of speed. An answer that nobody recorded is no other one. */
function workOf({ path, request, golden }: Run["plan"]["cases"][number]): Values {
  const sent = JSON.stringify([
    request?.method ?? "GET",
    request?.headers ?? [],
    request?.body?.sha256 ?? null,
  ]);
  const answer = golden === null ? null : `${golden.status}, ${golden.bytes} bytes, ${short(golden.sha256)}`;
  return {
    path,
    request: `${request?.method ?? "GET"}, ${short(createHash("sha256").update(sent).digest("hex"))}`,
    ...(answer !== null && { answer }),
  };
}

function short(digest: string): string {
  return digest.slice(0, LETTERS_OF_DIGEST);
}

function timeWords(ms: number): string {
  return ms === 0 ? "none" : formatDuration(ms);
}

function conditionsOf({ run }: Facts): Values {
  return { ...(run.machine !== null && machineValues(run.machine)), evenbench: run.evenbench };
}

function machineValues(machine: MachineFacts): Values {
  return {
    processor: machine.processor,
    cores: String(machine.cores),
    "usable-cores": String(machine.usableCores),
    memory: formatBytes(machine.memoryBytes),
    system: machine.system,
    "cores-apart": machine.coresApart ? "yes" : "no",
  };
}

function versionsOf({ runtime, adapter }: TargetFacts): Values {
  return { ...(runtime !== null && { runtime }), ...(adapter !== null && { adapter }) };
}

/** Lists the values that both have and that differ. */
function differing(
  before: Values,
  after: Values,
  caseId: string | null = null,
  target: string | null = null,
): readonly Difference[] {
  return listAll(before, after, caseId, target).filter(({ before: then, after: now }) => then !== now);
}

function listAll(
  before: Values,
  after: Values,
  caseId: string | null = null,
  target: string | null = null,
): readonly Difference[] {
  return Object.entries(after).flatMap(([key, now]) => {
    const then = before[key];
    return then === undefined ? [] : [{ case: caseId, target, key, before: then, after: now }];
  });
}
