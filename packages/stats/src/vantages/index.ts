export * from "./analyse.ts";
export type { MsInterval, VantageDifference } from "./difference.ts";
export type { Heterogeneity } from "./heterogeneity.ts";
export type { DifferenceAcross } from "./pool.ts";
export type { VantageRow } from "./rows.ts";
export { asMs, asMsInterval } from "./words.ts";
