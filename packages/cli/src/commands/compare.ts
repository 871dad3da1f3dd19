import { IN_CLONE } from "@evenbench/core/called";
import type { Command } from "commander";
import type { AgainstOptions } from "../actions/against.ts";
import type { CompareOptions } from "../actions/compare.ts";
import { inCloneOnly } from "../clone.ts";
import { withBuildsMeasured } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { parseFailOn } from "../fail-on.ts";
import { isGiven, optionOf } from "../given.ts";
import { UsageError } from "../nearest.ts";
import { SELECTION_FLAGS, withSelection } from "../selection-options.ts";

export const worksOutside = true;

type Options = CompareOptions & AgainstOptions & { readonly builds?: boolean };

/** Options that say how builds are measured: a comparison of runs has no use for them. */
const OF_BUILDS = ["--case", "--suite", "--time", "--seed", "--allow", "--out", ...SELECTION_FLAGS];

export default function addCompareCommand(program: Command, exit: Exit): void {
  const command = program
    .command("compare")
    .helpGroup("Look at results:")
    .description("compare the same targets in two runs: before and after a change")
    .argument(
      "<before>",
      IN_CLONE ? "a run's folder; with --builds, a checkout that is built" : "a run's folder",
    )
    .argument("<after>", "the other one")
    .option("--fail-on <condition>", 'exit with 1 when a target is, for example, "slower 5%"', parseFailOn)
    .option("--anyway", "judge runs that are damaged, unfinished or of unequal plans, too")
    .option("--json", "print the comparison as JSON")
    .option("-q, --quiet", "print the answer alone: no progress, no notes")
    .optionsGroup("Two builds, measured in turns:")
    .option("--builds", "the two are folders of built checkouts: measure them now, as against does");
  withBuildsMeasured(command, "the folder that takes the runs", "results/builds");
  withExamples(command, [
    ["npm run bench -- compare results/before results/after", "two runs that are done"],
    [
      "npm run bench -- compare --builds ../before . --case react-ssr",
      "two checkouts, measured now",
      "clone",
    ],
  ]);
  withSelection(command);
  inCloneOnly(command, "--builds", ...OF_BUILDS);
  const ofBuilds = OF_BUILDS.map((flag) => optionOf(command, flag));
  command.action(async (before: string, after: string, options: Options) => {
    if (options.builds) {
      const { compareBuilds } = await import("../actions/compare-builds.ts");
      await compareBuilds(before, after, options, exit);
      return;
    }
    const vain = ofBuilds.find((option) => isGiven(command, option));
    if (vain !== undefined)
      throw new UsageError(
        `${vain.long} is for two builds. Add --builds, or leave it out to compare two runs.`,
      );
    const { compareCommand } = await import("../actions/compare.ts");
    await compareCommand(before, after, options, exit);
  });
}
