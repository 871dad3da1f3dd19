import { readProviderCpu, readRun } from "@evenbench/results";
import { objectionsTo } from "./across/objections.ts";
import { analyseRun } from "./analyse-run.ts";
import type { ReportData } from "./data.ts";
import type { CpuPrice } from "./prices.ts";

/** Looks into a run's folder for what other measurements add to its cases. */
export type AdditionsOf = (folder: string, data: ReportData) => Promise<ReportData["additions"]>;

export interface AnalysedFolder {
  readonly data: ReportData;
  /** Why the run has nothing to say about others: it is damaged, or did not end. */
  readonly objections: readonly string[];
  /** What is wrong with its samples, or null. */
  readonly damage: string | null;
}

/**
 * Reads a run's folder and finds everything that a report says of it.
 *
 * @throws {ResultsError} when the run cannot be read.
 */
export async function analyseFolder(
  folder: string,
  prices?: readonly CpuPrice[],
  additionsOf: AdditionsOf = async () => new Map(),
): Promise<AnalysedFolder> {
  const { run, samples, damage } = await readRun(folder);
  const told = await readProviderCpu(folder);
  const analysed = analyseRun(run, samples, {
    damage: [damage, told.damage].filter((one) => one !== null),
    prices,
    accounts: told.accounts,
  });
  const data = { ...analysed, additions: await additionsOf(folder, analysed) };
  return { data, objections: objectionsTo({ run, damage }), damage };
}
