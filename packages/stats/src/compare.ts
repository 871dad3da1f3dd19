import type { Sample } from "@evenbench/results";
import {
  byInstance,
  coldTargets,
  type InstanceCell,
  instanceCells,
  type RoundValue,
  TRIALS_FOR_INTERVAL,
} from "./cells.ts";
import { exponentiate, fitTwoWay, intervalOf, type Prior, priorOf, type Spread } from "./model.ts";
import { mean } from "./numbers.ts";
import { type RatioInterval, type Verdict, verdictOf } from "./verdict.ts";
import type { WarmInstances } from "./warmth.ts";

export interface Question {
  readonly baseline: string;
  /** The baseline's A/A copy: the baseline is the mean of both. */
  readonly copy: string | null;
  readonly targets: readonly string[];
  /** Without it, all instances count as warm. */
  readonly warm?: WarmInstances | undefined;
  /** What its instances usually differ by, as a fraction. */
  readonly scatter?: number | undefined;
  /** Targets that are one process for the whole run: their trials are no fresh instances. */
  readonly lasting?: ReadonlySet<string> | undefined;
  /** Targets that were dropped while they were measured: they have no verdict, and nothing is divided by them. */
  readonly dropped?: ReadonlySet<string> | undefined;
  /** false in a smoke test, where times are shown and nothing is compared. Default: true. */
  readonly compares?: boolean | undefined;
}

export function baselinesOf({ baseline, copy }: Question): readonly string[] {
  return copy === null ? [baseline] : [baseline, copy];
}

export function nonBaselinesOf(question: Question): readonly string[] {
  return question.targets.filter((target) => !baselinesOf(question).includes(target));
}

/** What other cases say of the variance is not in it yet. */
export type CellFit = ReturnType<typeof fitCells>;

export function fitCells(cells: readonly InstanceCell[], question: Question) {
  const cold = coldTargets(cells);
  const warmCells = cells.filter((cell) => cell.cold === null && !cold.has(cell.target));
  const hasLasting = (question.lasting?.size ?? 0) > 0;
  const freshCells = warmCells.filter(({ target }) => !question.lasting?.has(target));
  return {
    question,
    scatter: question.scatter,
    cells,
    cold,
    fit: fitTwoWay(warmCells),
    fitOfAll: fitTwoWay(cells),
    /** The variance of warm, fresh instances; null where nobody asked, or they cannot tell. */
    freshVariance: hasLasting ? varianceOf(fitTwoWay(freshCells)) : null,
  };
}

/** Values that are not above 0 have no ratio, and are left out. */
export function fitValues(values: readonly RoundValue[], question: Question): CellFit {
  const instances = byInstance(values.filter(({ ms }) => ms > 0));
  const targets = new Set(instances.map(({ target }) => target));
  return fitCells(instanceCells(instances, [...targets], question.warm, 1), question);
}

/** Those that speak of a target: its warm ones, or all where it has no verdict. */
export function cellsOf({ cells, cold }: CellFit, target: string): readonly InstanceCell[] {
  return cells.filter((cell) => cell.target === target && (cell.cold === null || cold.has(target)));
}

/** A trial's cell of the target, with the cells of the same trial that it is divided by. */
interface CellPair {
  readonly cell: InstanceCell;
  readonly others: readonly InstanceCell[];
}

interface ComparedCells {
  /** null where there are too few trials, or one side has no result. */
  readonly ratio: RatioInterval | null;
  /** By trial, ascending. */
  readonly pairs: readonly CellPair[];
  readonly verdict: Verdict;
  /** A sentence or more; null where there are too few trials for an interval. */
  readonly reason: string | null;
}

/** All comparisons of instances are made here. Each of the target's cells is paired with those that it is divided by. */
export function compare(
  fitted: CellFit,
  target: string,
  by: readonly string[] = baselinesOf(fitted.question),
  prior?: Prior,
  level?: number,
): ComparedCells {
  const isDropped = (name: string) => fitted.question.dropped?.has(name) === true;
  const whole = by.filter((name) => !isDropped(name));
  if (isDropped(target)) {
    return withoutResult(`${target} was dropped.`);
  }
  if (whole.length === 0) {
    return withoutResult(`${by[0]}, which it is compared with, was dropped.`);
  }
  const { fit, cells, bases, cold } = cellsForComparison(fitted, target, whole);
  const pairs = [...Map.groupBy(cells, ({ block }) => block).values()].flatMap((block) => {
    const cell = block.find((candidate) => candidate.target === target);
    const others = block.filter((candidate) => bases.includes(candidate.target));
    return cell === undefined || others.length === 0 ? [] : [{ cell, others }];
  });
  pairs.sort((a, b) => a.cell.block - b.cell.block);
  const count = (name: string) => cells.filter((cell) => cell.target === name).length;
  const isEnough = bases.length > 0 && [target, ...bases].every((name) => count(name) >= TRIALS_FOR_INTERVAL);
  const difference = isEnough ? fit.difference([target], bases) : null;
  const addedVariance = varianceOfLasting(fitted, target, bases);
  const priorOfCase = prior && priorOf(fitted, prior);
  const ratio =
    difference && exponentiate(intervalOf(difference, fit, { prior: priorOfCase, level, addedVariance }));
  if (cold !== null) {
    return { ratio, pairs, verdict: "not warm", reason: `Not warm in ${cold}.` };
  }
  if (ratio === null) {
    return { ratio, pairs, verdict: "inconclusive", reason: null };
  }
  const { verdict, reason } = verdictOf(ratio);
  const lasting = [target, ...bases].filter((name) => fitted.question.lasting?.has(name));
  const falls = pairs.filter(({ cell, others }) => cell.falls && others.some((other) => other.falls));
  const notes = [
    ...(2 * falls.length > pairs.length ? ["Both still became faster, by the same amount."] : []),
    ...(lasting.length > 0 ? [lastingNote(lasting)] : []),
  ];
  return { ratio, pairs, verdict, reason: [reason, ...notes].join(" ") };
}

/** What a comparison gives where one of its sides has nothing that could be compared. */
export function withoutResult(reason: string): ComparedCells {
  return { ratio: null, pairs: [], verdict: "no result", reason };
}

function lastingNote(names: readonly string[]): string {
  const are = names.length === 1 ? "was one process" : "were one process each";
  return `${names.join(" and ")} ${are} for the whole run. Fresh ones would differ, and the interval allows for that.`;
}

/** All instances where the target, or all that it is divided by, was not warm; else warm ones. */
function cellsForComparison(fitted: CellFit, target: string, by: readonly string[]) {
  const count = (name: string) => fitted.cells.filter((cell) => cell.target === name).length;
  const enough = by.filter((name) => count(name) >= TRIALS_FOR_INTERVAL);
  // A copy that failed early takes no verdict away.
  const measured = enough.length > 0 ? enough : by.filter((name) => count(name) > 0);
  const why = (name = "") => fitted.cold.get(name);
  const warm = measured.filter((name) => why(name) === undefined);
  const cold = why(target) ?? (warm.length === 0 ? why(by[0]) : undefined) ?? null;
  return cold === null
    ? { fit: fitted.fit, cells: fitted.cells.filter((cell) => cell.cold === null), bases: warm, cold }
    : { fit: fitted.fitOfAll, cells: fitted.cells, bases: measured, cold };
}

/** The baseline's level times the target's ratio to it. */
export function shownMs(fitted: CellFit, target: string): number | null {
  const by = baselinesOf(fitted.question);
  const base = cellsForComparison(fitted, fitted.question.baseline, by);
  const levelIn = (cells: readonly InstanceCell[], name: string) =>
    mean(cells.flatMap((cell) => (cell.target === name ? cell.logMs : [])));
  const level = mean(base.bases.map((name) => levelIn(base.cells, name)));
  if (target === fitted.question.baseline && base.bases.length > 0) {
    return Math.exp(level);
  }
  const { cells, bases, fit } = cellsForComparison(fitted, target, by);
  const difference = bases.length === 0 ? null : fit.difference([target], bases);
  const shown = difference === null ? levelIn(cells, target) : level + difference.estimate;
  return Number.isNaN(shown) ? null : Math.exp(shown);
}

/** Servers that run already. A deployment may answer from many instances. */
export function oneProcessTargets(
  targets: readonly { readonly name: string; readonly place: string }[],
  samples: readonly Sample[],
): ReadonlySet<string> {
  const isOneProcess = (name: string) => {
    const answered = samples.filter(({ target, error }) => target === name && error === null);
    return new Set(answered.map(({ instanceId }) => instanceId)).size <= 1;
  };
  const running = targets.filter(({ place }) => place === "url").map(({ name }) => name);
  return new Set(running.filter(isOneProcess));
}

/** A standard deviation, where no fresh ones tell: four times that of nine pairs of plain servers. Heavy pages differ more. */
const INSTANCES_DIFFER = 0.01;

function varianceOf({ freedom, variance }: Spread): number | null {
  return freedom > 0 ? variance : null;
}

/** One process is faster or slower for its whole life, and its further trials do not show it: what fresh ones differ by does. */
function varianceOfLasting(
  { question, freshVariance }: CellFit,
  target: string,
  bases: readonly string[],
): number {
  const isLasting = (name: string): boolean => question.lasting?.has(name) === true;
  // A copy of a lasting target is the same process.
  const sides = Number(isLasting(target)) + Number(bases.some(isLasting));
  return sides === 0 ? 0 : sides * (freshVariance ?? INSTANCES_DIFFER ** 2);
}
