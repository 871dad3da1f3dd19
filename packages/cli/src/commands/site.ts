import type { Command } from "@commander-js/extra-typings";
import { untilInterrupted } from "../exit.ts";
import { parsePublishedAddress, wholeNumber } from "../option-values.ts";
import type { OptionsOf } from "../options.ts";
import { say, sayNote } from "../say.ts";

/** Largest number of runs: one a night for 27 years. */
const MOST_RUNS = 10_000;

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `site`. */
export function declare(program: Command) {
  return program
    .command("site")
    .helpGroup("Look at results:")
    .description("make a gallery of runs for any web host: current standing, history of each case, archive")
    .argument("<results...>", "results folders, folders of runs, or galleries")
    .requiredOption(
      "-o, --out <folder>",
      "the gallery's folder, new or made earlier; runs that are in it already stay in it",
    )
    .option(
      "--keep <count>",
      "how many of the newest runs have a report; older ones keep their facts (default: all)",
      wholeNumber(1, MOST_RUNS),
    )
    .option(
      "--base-url <address>",
      "where it will be published (https://…): for previews of links with pictures",
      parsePublishedAddress,
    )
    .option(
      "--contributed <folder>",
      "facts.json files that others sent, each under a name of its own: how many machines agree",
    );
}

/** Makes a gallery of runs, or adds runs to one. */
export default async function site(
  results: readonly string[],
  { out, ...options }: OptionsOf<typeof declare>,
): Promise<void> {
  const { terminalLine } = await import("@evenbench/core/text");
  const { createSite } = await import("@evenbench/report/site");
  const { loadsIn } = await import("@evenbench/load");
  await untilInterrupted("Start it again to complete it.", async (signal) => {
    const made = await createSite(results, out, { ...options, loadsOf: loadsIn, signal });
    for (const reason of made.skipped) {
      sayNote(`! left out: ${terminalLine(reason)}`);
    }
    say(`Gallery of ${made.runs} ${made.runs === 1 ? "run" : "runs"}: ${made.indexFile}`);
  });
}
