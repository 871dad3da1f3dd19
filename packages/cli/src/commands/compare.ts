import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { ExitCode, exit } from "../exit.ts";
import { inCloneOnly, withExamples } from "../help.ts";
import { UsageError } from "../nearest.ts";
import {
  firstGiven,
  type OptionsOf,
  SELECTION_FLAGS,
  shared,
  withBuildsMeasured,
  withSelection,
} from "../options.ts";
import { say, sayAside, sayJson } from "../say.ts";

export const worksOutside = true;

const OF_BUILDS = ["--case", "--suite", "--time", "--seed", "--allow", "--out", ...SELECTION_FLAGS];

export function declare(program: Command) {
  const command = program
    .command("compare")
    .helpGroup("Compare a change:")
    .description("compare the same targets in two runs: before and after a change")
    .argument(
      "<before>",
      IN_CLONE ? "a run's folder; with --builds, a checkout that is built" : "a run's folder",
    )
    .argument("<after>", "the other one")
    .addOption(shared.failOn("target"))
    .option("--anyway", "also judge runs that are damaged, unfinished or made by different plans")
    .option("--json", "print the comparison as JSON")
    .addOption(shared.quiet())
    .optionsGroup("Two builds, measured in turns:")
    .option("--builds", "the two folders are built checkouts: measure them now, as against does");
  const declared = withSelection(withBuildsMeasured(command));
  inCloneOnly(declared, "--builds", ...OF_BUILDS);
  return withExamples(
    declared,
    ["npm run bench -- compare results/before results/after", "two finished runs"],
    [
      "npm run bench -- compare --builds ../before . --case react-ssr",
      "two checkouts, measured now",
      "clone",
    ],
  );
}

export default async function compare(
  before: string,
  after: string,
  options: OptionsOf<typeof declare>,
  command: CommandUnknownOpts,
): Promise<void> {
  if (IN_CLONE && options.builds) {
    const { againstFolder } = await import("../against/index.ts");
    return againstFolder(before, after, options);
  }
  const vain = firstGiven(command, OF_BUILDS);
  if (vain !== undefined)
    throw new UsageError(`${vain} is for two builds. Add --builds, or leave it out to compare two runs.`);
  const { compareRuns, renderComparison } = await import("@evenbench/report");
  const compared = await compareRuns(before, after, options);
  if (options.json) sayJson(compared, 2);
  else say(renderComparison(compared));
  if (options.failOn === undefined) return;
  const { exitByRows } = await import("../against/findings.ts");
  const { rows, objections } = compared;
  exit.code = exitByRows(rows, options.failOn);
  const unjudged = rows.length === 0 || (objections.length > 0 && !options.anyway);
  if (!unjudged) return;
  sayAside(
    "evenbench: --fail-on has no verdict to act on, for the reasons above. Measure both runs completely, with the same settings, or pass --anyway.",
  );
  if (exit.code === ExitCode.done) exit.code = ExitCode.undecided;
}
