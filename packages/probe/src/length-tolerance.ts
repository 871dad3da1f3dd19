import type { BodyRules, Golden } from "@evenbench/core";

/** By how many bytes a body's length may differ from the verified one's. */
export function lengthTolerance({
  bytes,
  variation,
}: Pick<Golden & BodyRules, "bytes" | "variation">): number {
  return variation === null ? 0 : Math.floor(bytes * variation.lengthWithin);
}
