import { basename } from "node:path";
import { sweepAdditions } from "@evenbench/load";
import { createSite } from "@evenbench/report";
import { say, sayAside, sayNote } from "../say.ts";

export interface SiteCommandOptions {
  readonly out: string;
  readonly keep?: number;
}

export async function siteCommand(
  results: readonly string[],
  { out, keep }: SiteCommandOptions,
): Promise<void> {
  const { indexFile, runs, skipped } = await createSite(results, out, {
    additionsOf: sweepAdditions,
    onRun: (folder) => sayNote(`Reading ${basename(folder)}`),
    ...(keep === undefined ? {} : { keep }),
  });
  for (const one of skipped) sayAside(`! left out: ${one}`);
  say(`Gallery of ${runs} ${runs === 1 ? "run" : "runs"}: ${indexFile}`);
}
