import { compareRuns, type FailOn, failing, renderComparison } from "@evenbench/report";
import { type Exit, ExitCode } from "../exit.ts";
import { say, sayAside, sayJson } from "../say.ts";

export interface CompareOptions {
  readonly failOn?: FailOn;
  readonly anyway?: boolean;
  readonly json?: boolean;
}

/** Prints how the targets of two runs compare. Fails where `--fail-on` holds, or has no verdict to act on. */
export async function compareCommand(
  before: string,
  after: string,
  options: CompareOptions,
  exit: Exit,
): Promise<void> {
  const compared = await compareRuns(before, after, options);
  if (options.json) sayJson(compared, 2);
  else say(renderComparison(compared));
  if (options.failOn === undefined) return;
  const failed = failing(compared.rows, options.failOn);
  for (const { caseId, target, verdict, ratio } of failed)
    sayAside(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
  const { rows, objections } = compared;
  const unjudged = rows.length === 0 || (objections.length > 0 && !options.anyway);
  if (unjudged)
    sayAside(
      "evenbench: --fail-on has no verdict to act on, for the reasons above. Measure both runs alike and whole, or say --anyway.",
    );
  if (failed.length > 0 || unjudged) exit.code = ExitCode.failed;
}
