import { formatDuration } from "@evenbench/core";
import { renderSoFar, terminalOptions } from "@evenbench/report";
import type { Run } from "@evenbench/results";
import type { RunOptions, RunResult, ServerCores } from "@evenbench/runner";
import { type Exit, ExitCode } from "./exit.ts";
import { interruptible } from "./interrupt.ts";
import { pick, UsageError } from "./nearest.ts";
import { progressLine } from "./progress.ts";
import { sayNote } from "./say.ts";

/** As much as shows that everything works. */
const QUICK = { rounds: 3, trials: 2, warmUp: 3 };

export interface MeasuringOptions {
  readonly quick?: true;
  readonly rounds?: number;
  readonly trials?: number;
  readonly time?: number | ReadonlyMap<string, number>;
  readonly total?: number;
  readonly precision?: number;
  readonly seed?: number;
  readonly out: string;
  readonly baseline?: string;
  readonly workers: number;
  readonly serverCores: ServerCores;
  readonly spacing: number;
  readonly pause?: number;
  readonly warmUp?: number;
  readonly cold: number;
}

/** The same, as a run takes it. */
export function howToMeasure(options: MeasuringOptions): Omit<RunOptions, "targets" | "cases"> {
  const quick = options.quick ? QUICK : null;
  return {
    workers: options.workers,
    coldStarts: options.cold,
    timeMs: options.time ?? null,
    rounds: options.rounds ?? quick?.rounds ?? null,
    trials: options.trials ?? quick?.trials ?? null,
    warmUpExchanges: options.warmUp ?? quick?.warmUp ?? null,
    serverCores: options.serverCores,
    spacing: options.spacing,
    pauseMs: options.pause ?? 0,
    out: options.out,
    ...(options.precision === undefined ? {} : { precision: options.precision }),
    ...(options.total === undefined ? {} : { totalMs: options.total }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.baseline === undefined ? {} : { baseline: options.baseline }),
  };
}

/** @throws {UsageError} when a time is given for some cases only, or for one that is not measured. */
export function refuseOtherTimes(times: ReadonlyMap<string, number>, ids: readonly string[]): void {
  pick("case to give time to", [...times.keys()], ids);
  const without = ids.find((id) => !times.has(id));
  if (without !== undefined)
    throw new UsageError(`--time names no time for "${without}". Name every case, or give one time for all.`);
}

type Watching = Required<Pick<RunOptions, "signal" | "onProgress" | "onPlan" | "onTurn" | "onEvent">>;

export function watching(): Watching & { readonly clear: () => void } {
  const progress = progressLine(process.stderr);
  return {
    clear: progress.clear,
    signal: interruptible(),
    onProgress: progress.show,
    onTurn({ run, analyses }) {
      // A smoke test compares nothing.
      if (run.plan.warmUpExchanges !== null) return;
      progress.clear();
      progress.stand(renderSoFar(run, analyses, terminalOptions(process.stderr)));
    },
    onPlan(expectedMs) {
      progress.clear();
      sayNote(`Measuring takes about ${formatDuration(expectedMs)} on a quiet machine.`);
    },
    onEvent(event) {
      // Said when it happened, with the build's own words.
      if (event.kind === "build-failed") return;
      progress.clear();
      sayNote(`! ${event.detail}`);
    },
  };
}

/** Sets the exit code by how a run ended. */
export function exitAfter({ run }: Pick<RunResult, "run">, signal: AbortSignal, exit: Exit): void {
  if (signal.aborted) exit.code = ExitCode.interrupted;
  else if (!isWhole(run)) exit.code = ExitCode.failed;
}

/** Whether all that was asked for was measured to its end. */
export function isWhole({ status, events }: Pick<Run, "status" | "events">): boolean {
  return status === "complete" && events.every(({ kind }) => kind !== "target-dropped");
}
