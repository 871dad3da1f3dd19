import { sweepAdditions, sweepRun } from "@evenbench/load";
import { createReport } from "@evenbench/report";
import { appIdOf, type RunOptions, type RunResult, run as startRun, type Target } from "@evenbench/runner";
import { type ChosenCases, casesInSources, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { loadProgressLine } from "../load-progress.ts";
import { exitAfter, howToMeasure, type MeasuringOptions, refuseOtherTimes, watching } from "../measuring.ts";
import { pick, UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import type { OwnServerOptions } from "../own-servers/options.ts";
import { printReport } from "../print-report.ts";
import { assertBaselineBuilt, buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import { casesAskedFor } from "../suites.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";

export interface RunCommandOptions
  extends SelectionOptions,
    MeasuringOptions,
    OwnServerOptions,
    OutputOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly allow?: readonly string[];
  readonly cpu?: "provider";
  readonly sweep?: number | true;
}

export async function runCommand(options: RunCommandOptions, exit: Exit): Promise<void> {
  const named = await selectTargets(options, exit);
  const asked = await casesAskedFor(options, named);
  const selected = await targetsWith(named, asked);
  if (options.cpu !== undefined && selected.every(isLocal)) {
    throw new UsageError(
      "--cpu provider asks platforms, and every target is local: its CPU time is measured anyway. Add --where deployed, or leave --cpu out.",
    );
  }
  if (options.baseline !== undefined)
    pick(
      "target",
      [options.baseline],
      selected.map((target) => target.name),
    );
  if (typeof options.time === "object") refuseOtherTimes(options.time, await casesInSources(selected, asked));
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  assertBaselineBuilt(options.baseline, missing);
  const chosen = await casesToMeasure(targets, asked, options.case !== undefined);
  const { clear, ...watched } = watching();
  const { signal } = watched;
  const measured: RunOptions = {
    ...whatToMeasure(options, targets, chosen),
    ...watched,
    missing,
    warmUpFile: WARM_UP_FILE,
  };
  const result = await startRun(measured);
  clear();
  try {
    if (options.sweep !== undefined && !signal.aborted)
      await sweepTargets(result, measured, options.sweep, exit);
  } finally {
    printReport(await createReport(result.folder, undefined, undefined, sweepAdditions), options);
  }
  exitAfter(result, signal, exit);
  // Who names the cases does not ask for the others.
  const isMissed = missing.length > 0 || (casesLeftOut && options.case === undefined);
  if (isMissed && !signal.aborted) exit.code = ExitCode.failed;
}

export function whatToMeasure(
  options: RunCommandOptions,
  targets: readonly Target[],
  { byApp, otherIds }: ChosenCases,
): RunOptions {
  return {
    ...howToMeasure(options),
    targets: targets.filter((target) => appIdOf(target) in byApp),
    cases: byApp,
    otherCaseIds: otherIds,
    allow: options.allow ?? [],
    providerCpu: options.cpu === "provider",
  };
}

async function sweepTargets(
  { folder, run }: RunResult,
  {
    targets,
    cases,
    otherCaseIds = [],
    workers = 1,
    allow = [],
    out = "results",
    signal,
    onEvent,
  }: RunOptions,
  time: number | true,
  exit: Exit,
): Promise<void> {
  const progress = loadProgressLine(process.stderr);
  const subject = { instances: 1, workers, parameters: {} };
  const swept = await sweepRun(
    { id: run.id, folder },
    {
      subjects: targets.map((target) => ({ ...subject, name: target.name, target })),
      cases,
      otherCaseIds,
      allow,
      out,
      seed: run.plan.seed,
      warmUpFile: WARM_UP_FILE,
      onProgress: progress.show,
      ...(time === true ? {} : { timeMs: time }),
      ...(signal && { signal }),
      ...(onEvent && { onEvent }),
    },
  );
  progress.clear();
  if (swept.run.status === "failed") exit.code = ExitCode.failed;
}
