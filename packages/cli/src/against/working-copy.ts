import type { LocalTarget, MissingTarget } from "@evenbench/runner";
import { type ChosenCases, targetsWith } from "../cases.ts";
import type { Exit } from "../exit.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import type { CaseOptions } from "../suite-options.ts";
import { casesAskedFor } from "../suites.ts";

/** What of the working copy is to be compared, built: local targets, and the cases that they are asked for. */
export interface WorkingCopy extends ChosenCases {
  readonly targets: readonly LocalTarget[];
  readonly missing: readonly MissingTarget[];
}

/**
 * Builds what the options name. Nothing elsewhere can be compared: its other state is not known.
 *
 * @throws {UsageError} for an unknown name; {BuildError} when nothing can be built.
 */
export async function buildWorkingCopy(
  options: SelectionOptions & CaseOptions,
  exit: Exit,
): Promise<WorkingCopy> {
  const named = (await selectTargets(options, exit)).filter(isLocal);
  const asked = await casesAskedFor(options, named);
  const built = await buildTargets(await targetsWith(named, asked), options);
  const targets = built.targets.filter(isLocal);
  const chosen = await casesToMeasure(targets, asked, options.case !== undefined);
  return { ...chosen, targets, missing: built.missing };
}
