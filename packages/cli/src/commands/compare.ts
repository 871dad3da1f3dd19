import { IN_CLONE } from "@evenbench/core/called";
import type { Command } from "commander";
import type { AgainstOptions } from "../against/index.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { inCloneOnly, withExamples } from "../help.ts";
import { UsageError } from "../nearest.ts";
import { firstGiven, SELECTION_FLAGS, withBuildsMeasured, withSelection } from "../options.ts";
import { parseFailOn } from "../quantity.ts";
import { say, sayAside, sayJson } from "../say.ts";

export const worksOutside = true;

interface CompareOptions extends AgainstOptions {
  readonly builds?: boolean;
  readonly anyway?: boolean;
}

const OF_BUILDS = ["--case", "--suite", "--time", "--seed", "--allow", "--out", ...SELECTION_FLAGS];

export default function addCompareCommand(program: Command, exit: Exit): void {
  const command = program
    .command("compare")
    .helpGroup("Compare a change:")
    .description("compare the same targets in two runs: before and after a change")
    .argument(
      "<before>",
      IN_CLONE ? "a run's folder; with --builds, a checkout that is built" : "a run's folder",
    )
    .argument("<after>", "the other one")
    .option(
      "--fail-on <condition>",
      'exit with 1 when a target is, for example, "slower 5%", and with 3 when that cannot be ruled out',
      parseFailOn,
    )
    .option("--anyway", "also judge runs that are damaged, unfinished or made by different plans")
    .option("--json", "print the comparison as JSON")
    .option("-q, --quiet", "print the answer alone, without progress and notes")
    .optionsGroup("Two builds, measured in turns:")
    .option("--builds", "the two folders are built checkouts: measure them now, as against does");
  withBuildsMeasured(command, "folder for the runs", "results/builds");
  withExamples(command, [
    ["npm run bench -- compare results/before results/after", "two finished runs"],
    [
      "npm run bench -- compare --builds ../before . --case react-ssr",
      "two checkouts, measured now",
      "clone",
    ],
  ]);
  withSelection(command);
  inCloneOnly(command, "--builds", ...OF_BUILDS);
  command.action(async (before: string, after: string, options: CompareOptions) => {
    if (IN_CLONE && options.builds) {
      const { againstFolder } = await import("../against/index.ts");
      return againstFolder(before, after, options, exit);
    }
    const vain = firstGiven(command, OF_BUILDS);
    if (vain !== undefined)
      throw new UsageError(`${vain} is for two builds. Add --builds, or leave it out to compare two runs.`);
    return compareTwoRuns(before, after, options, exit);
  });
}

async function compareTwoRuns(
  before: string,
  after: string,
  options: CompareOptions,
  exit: Exit,
): Promise<void> {
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
