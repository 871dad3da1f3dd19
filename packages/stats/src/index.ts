export * from "./analyse-case.ts";
export * from "./analysis.ts";
export * from "./cpu.ts";
export { isPreciseEnough } from "./precision.ts";
export { mean, median, quantile, quantileCurve, sorted } from "./quantile.ts";
export { drawBelow, drawNormal, type Random, seededRandom } from "./random.ts";
export { allTimes, seriesByTarget } from "./series.ts";
export { isSteady } from "./steady.ts";
export { deviation } from "./verdict.ts";
