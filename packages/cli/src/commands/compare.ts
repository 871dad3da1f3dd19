import type { Command } from "@commander-js/extra-typings";
import { exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared } from "../options.ts";
import { say, sayJson } from "../say.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `compare`. */
export function declare(program: Command) {
  const command = program
    .command("compare")
    .helpGroup("Compare a change:")
    .description("compare the same targets in two runs: before and after a change")
    .argument("<before>", "a run's folder")
    .argument("<after>", "the other one")
    .addOption(shared.failOn("target"))
    .option("--anyway", "also judge runs that are damaged, unfinished or made by different plans")
    .option("--json", "print the comparison as JSON");
  return withExamples(command, [
    'npm run bench -- compare results/before results/after --fail-on "slower 5%"',
    "two runs of yours, as a check",
  ]);
}

/**
 * Compares the same targets in two runs and prints their ratios; with `--fail-on` these decide the exit code.
 */
export default async function compare(
  before: string,
  after: string,
  options: OptionsOf<typeof declare>,
): Promise<void> {
  const { compareRuns, describeUnmeasured, renderComparison } = await import("@evenbench/report");
  const compared = await compareRuns(before, after, options);
  if (options.json) {
    sayJson(compared, 2);
  } else {
    say(renderComparison(compared));
  }
  if (options.failOn === undefined) {
    return;
  }
  const { exitByRows } = await import("../against/findings.ts");
  const { rows, unmeasured, objections } = compared;
  const isJudged = rows.length > 0 && (objections.length === 0 || options.anyway === true);
  const objected =
    "--fail-on has no verdict to act on, for the reasons above. Measure both runs completely, with the same settings, or pass --anyway.";
  const missing = unmeasured.map((each) => `${describeUnmeasured(each)} Measure both runs again.`);
  exit.code = exitByRows(rows, options.failOn, [...missing, ...(isJudged ? [] : [objected])]);
}
