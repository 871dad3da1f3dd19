import type { Command } from "@commander-js/extra-typings";
import { exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared } from "../options.ts";

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
    .addOption(shared.failOn())
    .addOption(shared.exports())
    .option("--anyway", "also judge runs that are damaged, unfinished or made by different plans")
    .option("--json", "print what was found as JSON (facts.json)");
  return withExamples(command, [
    'npm run bench -- compare results/before results/after --fail-on "slower 5%"',
    "two runs of yours, as a check",
  ]);
}

/** Compares the same targets in two runs, and prints what was found; with `--fail-on` that decides the exit code. */
export default async function compare(
  before: string,
  after: string,
  options: OptionsOf<typeof declare>,
): Promise<void> {
  const { compareRuns } = await import("@evenbench/report");
  const { sayComparison } = await import("../against/outcome.ts");
  const facts = await compareRuns(before, after, options);
  sayComparison(facts, options);
  const { writeExports } = await import("../exports.ts");
  await writeExports(facts, options, ".");
  const { exitCodeOf } = await import("../gate.ts");
  // A run that was not measured to its end is an objection, which `--anyway` overrules.
  exit.code = exitCodeOf(facts, options, true);
}
