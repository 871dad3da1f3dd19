import type { Expectation } from "./expectation.ts";

/** By how many bytes a body's length may differ from the verified one's. */
export function lengthTolerance({
  bytes,
  variation,
  unchecked,
}: Pick<Expectation, "bytes" | "variation" | "unchecked">): number {
  if (unchecked !== undefined) return Number.POSITIVE_INFINITY;
  return variation === null ? 0 : Math.floor(bytes * variation.lengthWithin);
}
