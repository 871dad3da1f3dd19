import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createLoadReport } from "@evenbench/load";
import { createReport } from "@evenbench/report";
import { collectLoad, collectLogs, LOGS_FOLDER, readPlan } from "@evenbench/vantages";
import { UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { printReport } from "../print-report.ts";
import { sayAside } from "../say.ts";
import { printLoadReport } from "./report.ts";

export interface VantagesCollectOptions extends OutputOptions {
  readonly out: string;
  readonly anyway?: boolean;
}

export async function vantagesCollect(
  folder: string,
  named: readonly string[],
  options: VantagesCollectOptions,
): Promise<void> {
  const { plan, hash } = await readPlan(folder);
  const { out, anyway = false } = options;
  const logs = named.length > 0 ? named : await logsIn(join(folder, LOGS_FOLDER));
  const terms = { hash, logs, out, anyway };
  const collected =
    plan.kind === "rate" ? await collectLoad({ plan, ...terms }) : await collectLogs({ plan, ...terms });
  for (const problem of collected.problems) sayAside(`! ${problem}`);
  if (plan.kind === "rate") printLoadReport(await createLoadReport(collected.folder), options);
  else printReport(await createReport(collected.folder), options);
}

async function logsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0)
    throw new UsageError(`There is no log in ${folder}. Name the files that clients wrote.`);
  return names.sort().map((name) => join(folder, name));
}
