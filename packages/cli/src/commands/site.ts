import type { Command } from "commander";
import { wholeNumber } from "../quantity.ts";
import { say, sayAside } from "../say.ts";

/** Runs of one a night for 27 years; only a bound. */
const MOST_RUNS = 10_000;

export const worksOutside = true;

interface SiteCommandOptions {
  readonly out: string;
  readonly keep?: number;
  readonly baseUrl?: string;
}

export default function addSiteCommand(program: Command): void {
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
    .action(async (results: readonly string[], { out, ...options }: SiteCommandOptions) => {
      const { createSite } = await import("@evenbench/report");
      const { indexFile, runs, skipped } = await createSite(results, out, options);
      for (const reason of skipped) sayAside(`! left out: ${reason}`);
      say(`Gallery of ${runs} ${runs === 1 ? "run" : "runs"}: ${indexFile}`);
    });
}
