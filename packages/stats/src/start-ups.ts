// The CPU time of starts, compared as cold starts are.
import type { StartUp } from "@evenbench/results";
import type { RoundValue } from "./cells.ts";
import { baselinesOf, fitValues, type Question } from "./compare.ts";
import { type ComparedCost, compareRows } from "./costs.ts";
import { meanInterval } from "./model.ts";
import { mean } from "./numbers.ts";
import type { RatioInterval } from "./verdict.ts";

/** A mean of starts, in milliseconds. */
export interface StartUpMean {
  readonly ms: number;
  /** Its 99 % interval; null with fewer than two starts. */
  readonly interval: RatioInterval | null;
  /** The value of each start. */
  readonly byStart: readonly number[];
}

/** The CPU time until one target's modules are there and evaluated. */
export interface StartUpCost {
  readonly target: string;
  /** Name of the target that it is compared with. */
  readonly baseline: string;
  readonly whole: StartUpMean;
  /** Its two parts; null where no start compiles the modules alone, so that nobody can tell them apart. */
  readonly compile: StartUpMean | null;
  readonly run: StartUpMean | null;
  /** null for the baseline, with fewer than two starts, and where a side is too small. */
  readonly compared: ComparedCost | null;
  /** true where it, or the baseline, is too small by `isTooSmall`. */
  readonly isTooSmall: boolean;
}

/** Compares the starts of the targets of one question. @returns a row for each target that was started. */
export function compareStartUps(starts: readonly StartUp[], question: Question): readonly StartUpCost[] {
  const values: RoundValue[] = starts.map((start) => ({
    target: start.target,
    trial: start.repetition,
    round: 0,
    ms: wholeMs(start),
  }));
  const fit = fitValues(values, { ...question, warm: undefined });
  const meansOf = (target: string) => meansOfStarts(starts.filter((start) => start.target === target));
  const isSmall = (target: string) => isTooSmall(meansOf(target)?.whole ?? null);
  const areBasesSmall = baselinesOf(question).some(isSmall);
  const rowOf = (target: string, compared: ComparedCost | null): StartUpCost | null => {
    const means = meansOf(target);
    const isEitherSmall = areBasesSmall || isSmall(target);
    return (
      means && {
        target,
        baseline: question.baseline,
        ...means,
        compared: isEitherSmall ? null : compared,
        isTooSmall: isEitherSmall,
      }
    );
  };
  return compareRows([{ fit, rowOf }])[0] ?? [];
}

/**
 * Tells whether starts cannot be told from the start of nothing: their interval reaches down to 0, and some took no more
 * than their control. One that other programs made long widens the interval to both sides, and says nothing of 0.
 */
export function isTooSmall(starts: StartUpMean | null): boolean {
  const low = starts?.interval?.low ?? 1;
  return low <= 0 && starts?.byStart.some((ms) => ms <= 0) === true;
}

/** What a start takes beyond its control. It may be below 0 by chance, and so may its parts. */
function wholeMs({ readyMs, controlMs }: StartUp): number {
  return readyMs - controlMs;
}

/** Computes the means of one target's starts; null without any. */
function meansOfStarts(starts: readonly StartUp[]): Pick<StartUpCost, "whole" | "compile" | "run"> | null {
  if (starts.length === 0) {
    return null;
  }
  const compiled = starts.flatMap((start) =>
    start.compiledMs === null ? [] : [{ ...start, compiledMs: start.compiledMs }],
  );
  const hasParts = compiled.length === starts.length;
  return {
    whole: meanOf(starts.map(wholeMs)),
    compile: hasParts ? meanOf(compiled.map(({ compiledMs, controlMs }) => compiledMs - controlMs)) : null,
    run: hasParts ? meanOf(compiled.map(({ readyMs, compiledMs }) => readyMs - compiledMs)) : null,
  };
}

function meanOf(byStart: readonly number[]): StartUpMean {
  return { ms: mean(byStart), interval: meanInterval(byStart), byStart };
}
