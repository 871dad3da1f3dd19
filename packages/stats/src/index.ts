export type { Metric } from "@evenbench/results";
export * from "./analyse-case.ts";
export { seriesByTarget, varianceOfRounds } from "./cells.ts";
export {
  type CellFit,
  cellsOf,
  compare,
  fitValues,
  oneProcessTargets,
  priorOfCases,
} from "./compare.ts";
export * from "./costs.ts";
export * from "./kinds.ts";
export * from "./model.ts";
export { mean, median, quantile, sorted, sum, variance } from "./numbers.ts";
export { drawBelow, type Random, seededRandom } from "./random.ts";
export * from "./vantages.ts";
export * from "./verdict.ts";
export { type Warm, warmInstances } from "./warm.ts";
export {
  type WarmInstances,
  type Warmth,
  type WarmUpNeed,
  warmthOfTrial,
  warmUpNeed,
} from "./warm-up.ts";
export * from "./warm-up-curve.ts";
