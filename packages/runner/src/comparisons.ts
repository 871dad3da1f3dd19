import { type CaseManifest, USUAL_BASELINE } from "@evenbench/core";
import { RunError, type RunOptions, type Target } from "./options.ts";
import { appIdOf, type MeasuredTarget, measuredTargetsOf } from "./targets.ts";

/** The targets that are compared, and the cases of their apps. */
export interface ComparedOptions<T extends Target> {
  readonly targets: readonly T[];
  /** Cases by app id. */
  readonly cases: RunOptions["cases"];
  /** Name or platform of the baseline. Default: the usual one. */
  readonly baseline?: string | undefined;
}

/** The targets of one app, which are compared with each other in each of these cases. */
export interface AppComparison<T extends Target> {
  readonly cases: readonly CaseManifest[];
  readonly targets: readonly T[];
  /** The targets, with the copy of their baseline. */
  readonly measuredTargets: readonly MeasuredTarget[];
}

/**
 * Groups targets and cases by app: targets of different apps are never compared.
 *
 * @throws {RunError} if there is nothing to measure.
 */
export function comparisons<T extends Target>(options: ComparedOptions<T>): readonly AppComparison<T>[] {
  const compared = Object.entries(options.cases)
    .filter(([, cases]) => cases.length > 0)
    .map(([appId, cases]) => ({
      cases,
      targets: options.targets.filter((target) => appIdOf(target) === appId),
      measuredTargets: measuredTargetsOf(options.targets, appId, options.baseline ?? USUAL_BASELINE),
    }));
  if (compared.length === 0) {
    throw new RunError("There is nothing to measure: no case was given.");
  }
  const empty = compared.find(({ targets }) => targets.length === 0)?.cases[0];
  if (empty !== undefined) {
    throw new RunError(`There is nothing to measure: no target serves "${empty.id}".`);
  }
  return compared;
}
