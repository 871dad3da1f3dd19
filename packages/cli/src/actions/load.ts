import { createLoadReport, DEFAULT_LOADS, type LoadGoal, runLoad, type SubjectChoice } from "@evenbench/load";
import type { Arrivals, LatencyCondition } from "@evenbench/results";
import { appIdOf, type Target } from "@evenbench/runner";
import { chooseCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { loadProgressLine } from "../load-progress.ts";
import { UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { sayNote } from "../say.ts";
import { buildTargets, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";
import { printLoadReport } from "./report.ts";

export interface LoadCommandOptions extends SelectionOptions, OutputOptions {
  readonly case: readonly string[];
  readonly concurrency?: readonly number[];
  readonly rate?: readonly number[];
  readonly capacity?: LatencyCondition;
  readonly arrivals: Arrivals;
  readonly connections: number;
  readonly instances: number;
  readonly workers: number;
  readonly trials: number;
  readonly shareCores?: boolean;
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
}

/** Puts load on the targets, and reports what they did. */
export async function loadCommand(options: LoadCommandOptions, exit: Exit): Promise<void> {
  const selected = await targetsWith(await selectTargets(options, exit), options.case);
  const { targets, missing } = await buildTargets(selected, options);
  const { byApp, otherIds } = await chooseCases(targets, options.case);
  const progress = loadProgressLine(process.stderr);
  const { folder, run } = await runLoad({
    subjects: targets
      .filter((target) => appIdOf(target) in byApp)
      .map((target) => subjectOf(target, options)),
    cases: byApp,
    otherCaseIds: otherIds,
    goal: goalOf(options),
    trials: options.trials,
    coresApart: options.shareCores !== true,
    out: options.out,
    allow: options.allow ?? [],
    warmUpFile: WARM_UP_FILE,
    signal: interruptible(),
    ...(options.time === undefined ? {} : { timeMs: options.time }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    onProgress: progress.show,
    onEvent: (event) => {
      progress.clear();
      sayNote(`! ${event.detail}`);
    },
  });
  progress.clear();
  printLoadReport(await createLoadReport(folder), options);
  if (run.status === "interrupted") exit.code = ExitCode.interrupted;
  else if (run.status !== "complete" || missing.length > 0) exit.code = ExitCode.failed;
}

function subjectOf(target: Target, { instances, workers }: LoadCommandOptions): SubjectChoice {
  if (target.place === "url" && instances > 1)
    throw new UsageError(`--instances starts instances of local targets; ${target.name} runs already.`);
  return { name: target.name, target, instances, workers, parameters: {} };
}

function goalOf({ concurrency, rate, capacity, arrivals, connections }: LoadCommandOptions): LoadGoal {
  if (capacity !== undefined) return { kind: "capacity", condition: capacity, arrivals, connections };
  if (rate !== undefined) {
    const loads = rate.map((perSecond) => ({ kind: "open", perSecond, arrivals, connections }) as const);
    return { kind: "sweep", loads };
  }
  const loads = concurrency?.map((one) => ({ kind: "closed", connections: one }) as const) ?? DEFAULT_LOADS;
  return { kind: "sweep", loads };
}
