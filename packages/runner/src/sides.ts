import { type CaseManifest, openRecord } from "@evenbench/core";
import type { PreflightResult } from "@evenbench/probe/preflight";
import { RunError, type Target } from "./options.ts";
import { pathOf } from "./targets.ts";

/**
 * Makes the case of one side: asked by the side's own path, held against no golden values, and free to be answered by a
 * cache, whose headers count seconds.
 */
export function asSide(manifest: CaseManifest, [side]: readonly Target[]): CaseManifest {
  const path = side === undefined ? manifest.path : pathOf(side, manifest);
  return { ...manifest, path, golden: null, page: null, cached: "A side may be answered by a cache." };
}

/**
 * Gives what a side has to answer: its own answer.
 *
 * @throws {RunError} where that has another status than its case.
 */
export function expectationsOfSide(
  { expectations }: PreflightResult,
  asked: readonly CaseManifest[],
  cases: readonly CaseManifest[],
): PreflightResult["expectations"] {
  const byCase = cases.map(({ id, page, golden }, index) => {
    const byName = Object.entries(expectations[id] ?? {}).map(([name, expected]) => {
      const wanted = golden?.status ?? 200;
      if (expected.status !== wanted) {
        throw new RunError(`${asked[index]?.path} answers HTTP ${expected.status} instead of ${wanted}.`);
      }
      return [name, { ...expected, isPage: page !== null }] as const;
    });
    return [id, openRecord(byName)] as const;
  });
  return openRecord(byCase);
}
