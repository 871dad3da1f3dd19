import type { Command } from "commander";
import type { SiteCommandOptions } from "../actions/site.ts";
import type { Exit } from "../exit.ts";
import { wholeNumber } from "../quantity.ts";

/** Runs of one a night for 27 years; only a bound. */
const MOST_RUNS = 10_000;

export const worksOutside = true;

export default function addSiteCommand(program: Command, _exit: Exit): void {
  program
    .command("site")
    .helpGroup("Look at results:")
    .description(
      "make the reference page of runs: current standing, history of each case, archive; for any web host",
    )
    .argument(
      "<results...>",
      "results folders, runs' own folders, or galleries, of which only the numbers are taken",
    )
    .requiredOption("-o, --out <folder>", "the gallery's folder; runs that are in it already stay in it")
    .option(
      "--keep <count>",
      "newest runs that keep their report and picture; of older ones the numbers stay (default: all)",
      wholeNumber(1, MOST_RUNS),
    )
    .option(
      "--base-url <address>",
      "where it will be published (https://…): for previews of links, and a feed",
    )
    .action(async (results: readonly string[], options: SiteCommandOptions) => {
      const { siteCommand } = await import("../actions/site.ts");
      await siteCommand(results, options);
    });
}
