import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CaseAddition } from "@evenbench/report";
import { LOAD_FILE, ownFolder, type RunFolder } from "@evenbench/results";
import { DEFAULT_LOADS, type LoadOptions, type LoadResult } from "./options.ts";
import { createLoadReport } from "./report/create-report.ts";
import type { CaseLoadReport, LoadData } from "./report/data.ts";
import { sweepFigures } from "./report/figures.ts";
import { findingsOf } from "./report/rows.ts";
import { runLoad } from "./run-load.ts";

export const SWEEP_FOLDER = "sweep";

export async function sweepRun(
  { id, folder }: RunFolder,
  options: Omit<LoadOptions, "goal" | "out">,
): Promise<LoadResult> {
  const out = { id: `${id}-sweep`, folder: join(folder, SWEEP_FOLDER) };
  return runLoad({ ...options, out, goal: { kind: "sweep", loads: DEFAULT_LOADS } });
}

export async function sweepAdditions(folder: string): Promise<ReadonlyMap<string, CaseAddition>> {
  const sweep = join(folder, SWEEP_FOLDER);
  if (!existsSync(join(sweep, LOAD_FILE))) return new Map();
  await ownFolder(sweep);
  const { data } = await createLoadReport(sweep);
  const additions = data.cases.flatMap((report) =>
    report.targets.length === 0 ? [] : [[report.manifest.id, additionOf(report, data)] as const],
  );
  return new Map(additions);
}

function additionOf(report: CaseLoadReport, { run, warnings }: LoadData): CaseAddition {
  const told =
    warnings.length === 0
      ? ""
      : ` It has warnings: ${warnings.map(({ title }) => title.toLowerCase()).join("; ")}.`;
  return {
    heading: "As more is asked at a time",
    findings: findingsOf(report, null).map(({ target, sentence }) => ({ target, sentence })),
    note: `A sweep of its own after the run, from ${run.plan.trials} trials; none of its times is in any other figure or verdict. Everything of it is in ${SWEEP_FOLDER}/load.html.${told}`,
    figures: sweepFigures(report),
  };
}
