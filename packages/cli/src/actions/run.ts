import { availableParallelism } from "node:os";
import type { CaseManifest } from "@evenbench/core";
import { formatDuration } from "@evenbench/core";
import { sweepAdditions, sweepRun } from "@evenbench/load";
import { createReport } from "@evenbench/report";
import type { Run } from "@evenbench/results";
import {
  appIdOf,
  type RunOptions,
  type RunResult,
  type ServerCores,
  run as startRun,
  type Target,
} from "@evenbench/runner";
import { type ChosenCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { loadProgressLine } from "../load-progress.ts";
import { pick, UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { progressLine } from "../progress.ts";
import { sayNote } from "../say.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import { casesAskedFor } from "../suites.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";
import { printReport } from "./report.ts";

/** As much as shows that everything works. */
const QUICK = { rounds: 3, trials: 2, warmUp: 3 };

/** What the command line says of a run. */
export interface RunCommandOptions extends SelectionOptions, OutputOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly quick?: true;
  readonly rounds?: number;
  readonly trials?: number;
  readonly time?: number | ReadonlyMap<string, number>;
  readonly total?: number;
  readonly precision: number;
  readonly seed?: number;
  readonly out: string;
  readonly baseline?: string;
  readonly workers: number;
  readonly serverCores: ServerCores;
  readonly spacing: number;
  readonly pause?: number;
  readonly warmUp?: number;
  readonly cold: number;
  readonly allow?: readonly string[];
  readonly cpu?: "provider";
  readonly sweep?: number | true;
}

/** Builds, serves, proves, measures and reports. */
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
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  const chosen = await casesToMeasure(targets, asked, options.case !== undefined);
  const progress = progressLine(process.stderr);
  const signal = interruptible();
  const measured: RunOptions = {
    ...whatToMeasure(options, targets, chosen),
    missing,
    warmUpFile: WARM_UP_FILE,
    signal,
    onProgress: progress.show,
    onPlan(expectedMs) {
      progress.clear();
      sayNote(`Measuring takes about ${formatDuration(expectedMs)} on a quiet machine.`);
    },
    onEvent: (event) => {
      // Said when it happened, with the build's own words.
      if (event.kind === "build-failed") return;
      progress.clear();
      sayNote(`! ${event.detail}`);
    },
  };
  const result = await startRun(measured);
  progress.clear();
  try {
    if (options.sweep !== undefined && !signal.aborted)
      await sweepTargets(result, measured, options.sweep, exit);
  } finally {
    printReport(await createReport(result.folder, undefined, undefined, sweepAdditions), options);
  }
  if (signal.aborted) exit.code = ExitCode.interrupted;
  else if (!isWhole(result.run) || missing.length > 0) exit.code = ExitCode.failed;
  // Who names the cases does not ask for the others.
  else if (casesLeftOut && options.case === undefined) exit.code = ExitCode.failed;
}

/**
 * What the words of a command line ask to be measured.
 *
 * @throws {UsageError} when a time is given for some cases only, or for one that is not measured.
 */
export function whatToMeasure(
  options: RunCommandOptions,
  targets: readonly Target[],
  { byApp, otherIds }: ChosenCases,
): RunOptions {
  const quick = options.quick ? QUICK : null;
  if (typeof options.time === "object") refuseOtherTimes(options.time, Object.values(byApp).flat());
  return {
    targets: targets.filter((target) => appIdOf(target) in byApp),
    cases: byApp,
    otherCaseIds: otherIds,
    workers: options.workers,
    coldStarts: options.cold,
    timeMs: options.time ?? null,
    rounds: options.rounds ?? quick?.rounds ?? null,
    trials: options.trials ?? quick?.trials ?? null,
    warmUpExchanges: options.warmUp ?? quick?.warmUp ?? null,
    serverCores: options.serverCores,
    spacing: options.spacing,
    pauseMs: options.pause ?? 0,
    precision: options.precision,
    out: options.out,
    allow: options.allow ?? [],
    providerCpu: options.cpu === "provider",
    ...(options.total === undefined ? {} : { totalMs: options.total }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.baseline === undefined ? {} : { baseline: options.baseline }),
  };
}

function refuseOtherTimes(times: ReadonlyMap<string, number>, cases: readonly CaseManifest[]): void {
  const ids = cases.map(({ id }) => id);
  pick("case to give time to", [...times.keys()], ids);
  const without = ids.find((id) => !times.has(id));
  if (without !== undefined)
    throw new UsageError(`--time names no time for "${without}". Name every case, or give one time for all.`);
}

/** Whether all that was asked for was measured to its end. */
function isWhole({ status, events }: Run): boolean {
  return status === "complete" && events.every(({ kind }) => kind !== "target-dropped");
}

/** The same targets and cases once more, with more and more requests at a time. */
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
  const onCores = workers === Number.MAX_SAFE_INTEGER ? availableParallelism() : workers;
  const subject = { instances: 1, workers: onCores, parameters: {} };
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
