// How much the speed that all targets of a case share changed from trial to trial.
import type { CellFit } from "./compare.ts";
import { exponentiate, fitTwoWay, intervalOf } from "./model.ts";
import type { RatioInterval } from "./verdict.ts";

/**
 * How much longer all targets may take in one trial than in another, as a fraction, before a reader is told. It was
 * chosen by the simulations of docs/coverage.md.
 */
export const STEADY_WITHIN = 0.2;

/**
 * Measures how many times as long the warm targets of a case took in the slowest trial as in the fastest one. It is
 * the model of verdicts with trials and targets in each other's place, so that the 99 % interval allows for what
 * instances differ by.
 *
 * @returns null where nothing tells trials from instances: with fewer than two trials, or two targets.
 */
export function changeOfSpeed({ cells, cold }: Pick<CellFit, "cells" | "cold">): RatioInterval | null {
  const warm = cells.filter((cell) => cell.cold === null && !cold.has(cell.target));
  const turned = warm.map(({ target, block, logMs }) => ({
    target: String(block),
    block: target,
    value: logMs,
  }));
  const fit = fitTwoWay(turned);
  const trials = [...new Set(turned.map(({ target }) => target))];
  const levels = trials.flatMap((trial) => {
    const fromFirst = fit.difference([trial], trials.slice(0, 1));
    return fromFirst === null ? [] : { trial, level: fromFirst.estimate };
  });
  levels.sort((a, b) => a.level - b.level);
  const [fastest] = levels;
  const slowest = levels.at(-1);
  if (fastest === undefined || slowest === undefined) {
    return null;
  }
  const change = fit.difference([slowest.trial], [fastest.trial]);
  return change && exponentiate(intervalOf(change, fit));
}

/** Tells whether a change of speed is so large, beyond what instances differ by, that a ratio may depend on it. */
export function isUnsteady(change: RatioInterval | null): change is RatioInterval {
  return change !== null && change.low > 1 + STEADY_WITHIN;
}
