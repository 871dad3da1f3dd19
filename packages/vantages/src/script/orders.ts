import { interleave } from "@evenbench/probe/interleave";
import { sha256 } from "k6/crypto";

/** The same seed as the runner's `deriveSeed` gives: the first four bytes of the same hash. */
export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(sha256([seed, ...purpose].join("/"), "hex").slice(0, 8), 16);
}

/** The orders of one trial, as a run has them: the client's own seed, and the probe's own code. */
export function ordersOf<T>(
  items: readonly T[],
  seed: number,
  { caseId, trial, purpose }: { readonly caseId: string; readonly trial: number; readonly purpose: string },
): () => T[] {
  return interleave(items, deriveSeed(seed, caseId, trial, purpose));
}
