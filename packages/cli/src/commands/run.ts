import type { Command } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { QUICK, type RunChoices } from "@evenbench/results/run-options";
import type { RunOptions, RunResult } from "@evenbench/runner";
import { askedFor } from "../asked.ts";
import { ExitCode, exit } from "../exit.ts";
import { describeOutside, withExamples } from "../help.ts";
import { parseDuration } from "../option-values.ts";
import {
  addRunOptions,
  DEFAULT_SUITE,
  namesOwnServers,
  type OutputOptions,
  type OwnServerOptions,
  type SelectionOptions,
  shared,
  withOutput,
  withOwnServers,
  withTargets,
} from "../options.ts";
import { sayAside, sayNote } from "../say.ts";
import type { Selection } from "../selection.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Options of `run`, as typed after it: its plan's settings, its targets and cases, and its outputs. */
export interface RunCommandOptions extends RunChoices, SelectionOptions, OwnServerOptions, OutputOptions {
  /** Seed of all random order, from 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /**
   * Milliseconds for each case in which 1 to 32 requests are sent at a time, after all cases; true: the usual time.
   */
  readonly sweep?: number | true;
  /** Folder for runs. */
  readonly out: string;
}

/** Declares the command `run`, which is the default. */
export function declare(program: Command) {
  const command = program
    .command("run", { isDefault: true })
    // What `npm run bench` is called.
    .alias("bench")
    .helpGroup("Measure:")
    .description(
      IN_CLONE
        ? "build, start all targets locally, check, measure and report (the default)"
        : "start or reach your servers, check that they do the same work, measure and report (the default)",
    );
  command.optionsGroup("What to measure:").addOption(shared.cases()).addOption(shared.suite());
  addRunOptions(command, "What to measure:");
  addRunOptions(command, "How long:");
  command.optionsGroup("How:").addOption(shared.seed()).addOption(shared.baseline());
  addRunOptions(command, "How:");
  addRunOptions(command, "Also:");
  command.option(
    "--sweep [duration]",
    "also send 1 to 32 requests at a time, after all cases; the time is for each case (default: 60s)",
    parseDuration,
  );
  addRunOptions(command, "Settings and results:");
  command.addOption(shared.out());
  const declared = withOutput(withOwnServers(withTargets(command)));
  describeOutside(declared, {
    "--target": 'a server: name=URL, or name="cmd: node server.js" to start one with PORT',
    "--path": "a path that every --target answers; each is a case",
    "--baseline": "the server that the others are compared with (default: the first)",
  });
  return withExamples(
    declared,
    ["npm run bench -- --case react-ssr --time 60s", "one case, for a minute", "clone"],
    ["npm run bench -- --target node --target cloudflare", "two platforms only", "clone"],
    ["npm run bench -- --suite all --total 30m", "every case, in half an hour", "clone"],
    [
      'npm run bench -- --target old="cmd: node old.js" --target new="cmd: node new.js" --path /products',
      "two of your own servers, unchanged",
    ],
  );
}

/**
 * Measures targets and makes a report. Reports are made although a sweep failed: nothing measured is lost.
 */
export default async function run(options: RunCommandOptions): Promise<void> {
  const { run: startRun } = await import("@evenbench/runner");
  const { isWhole, reportOn, progressListeners: watching } = await import("../measuring.ts");
  const { describeRun } = await import("../progress.ts");
  const measurement = await whatToMeasure(options);
  const { clear, ...watched } = watching(describeRun);
  const { signal } = watched;
  const result = await startRun({ ...measurement, ...watched });
  clear();
  const sweepProblem =
    options.sweep !== undefined && !signal.aborted
      ? await problemOf(sweepTargets(result, measurement, watched))
      : null;
  let isDamaged = false;
  const reportProblem = await problemOf(
    reportOn(result.folder, options).then((reported) => {
      isDamaged = reported.isDamaged;
    }),
  );
  // The first one says more; the second one must not hide it.
  if (sweepProblem !== null && reportProblem !== null) {
    sayAside(`evenbench: ${messageOf(sweepProblem.error)}`);
  }
  const problem = reportProblem ?? sweepProblem;
  if (problem !== null) {
    throw problem.error;
  }
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  } else if (isDamaged || !isWhole(result.run)) {
    exit.code = ExitCode.failed;
  }
}

/** A run with its targets, cases and options, and the load that may follow it. */
export type Measurement = RunOptions & Selection & Pick<RunCommandOptions, "sweep">;

/**
 * Chooses targets and cases, builds them, and gives what is measured.
 *
 * @throws {UsageError} for options that do not go together.
 */
export async function whatToMeasure(options: RunCommandOptions): Promise<Measurement> {
  const { choose } = await import("../measuring.ts");
  const settings = { ...(options.quick && QUICK), ...options };
  const isOwn = namesOwnServers(options);
  const chosen = await choose(options, ([first, ...others]) => {
    if (options.cpu !== undefined && [first, ...others].every((target) => target?.place === "local")) {
      throw new UsageError(
        "--cpu provider asks platforms, and every target is local: its CPU time is measured anyway. Add --where deployed, or leave --cpu out.",
      );
    }
    if (isOwn && others.length === 0) {
      sayNote(
        `There is one target, so nothing is compared: ${first?.name} is measured beside a copy of itself.`,
      );
    }
  });
  const usualCases = isOwn ? null : await (await import("../selection.ts")).casesOfSuite(DEFAULT_SUITE);
  return {
    ...settings,
    ...chosen,
    asked: askedFor(),
    timeMs: settings.time ?? null,
    ...(settings.total !== undefined && { totalMs: settings.total }),
    ...(usualCases !== null && { usualCases }),
  };
}

/** Gives the error that a piece of work throws; null where it throws nothing. */
async function problemOf(work: Promise<void>): Promise<{ readonly error: unknown } | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return { error };
  }
}

async function sweepTargets(
  { folder, run: { id, plan } }: RunResult,
  { targets, cases, otherCaseIds, allow, workers = 1, sweep }: Measurement,
  { signal, onEvent }: Required<Pick<RunOptions, "signal" | "onEvent">>,
): Promise<void> {
  const { sweepRun } = await import("@evenbench/load");
  const { describeLoad, progressDisplay } = await import("../progress.ts");
  const { show, clear } = progressDisplay();
  const swept = await sweepRun(
    { id, folder },
    {
      targets: targets.map((target) => ({ ...target, instances: 1, workers })),
      cases,
      otherCaseIds,
      seed: plan.seed,
      asked: askedFor(),
      signal,
      onEvent(event) {
        clear();
        onEvent(event);
      },
      onProgress: (progress) => show(describeLoad(progress)),
      ...(allow && { allow }),
      ...(typeof sweep === "number" && { timeMs: sweep }),
    },
  );
  clear();
  if (swept.run.status === "failed") {
    exit.code = ExitCode.failed;
  }
}
