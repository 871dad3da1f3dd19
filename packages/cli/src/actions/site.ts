import { createSite } from "@evenbench/report";
import { say, sayAside } from "../say.ts";

export interface SiteCommandOptions {
  readonly out: string;
  readonly keep?: number;
  readonly baseUrl?: string;
}

export async function siteCommand(
  results: readonly string[],
  { out, ...options }: SiteCommandOptions,
): Promise<void> {
  const { indexFile, runs, skipped } = await createSite(results, out, options);
  for (const one of skipped) sayAside(`! left out: ${one}`);
  say(`Gallery of ${runs} ${runs === 1 ? "run" : "runs"}: ${indexFile}`);
}
