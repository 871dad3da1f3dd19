import { type Command, Option } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { messageOf, UsageError } from "@evenbench/core/errors";
import type { RunOptions, RunResult } from "@evenbench/runner";
import { ExitCode, exit } from "../exit.ts";
import { describeOutside, withExamples } from "../help.ts";
import {
  DEFAULT_SUITE,
  isOfOwnServers,
  type OptionsOf,
  shared,
  withExtent,
  withOutput,
  withOwnServers,
  withTargets,
} from "../options.ts";
import { parseDuration } from "../quantity.ts";
import { sayAside, sayNote } from "../say.ts";

export const worksOutside = true;

export type RunCommandOptions = OptionsOf<typeof declare>;

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
    )
    .optionsGroup("What to measure:")
    .addOption(shared.cases())
    .addOption(shared.suite());
  const withSettings = withExtent(command)
    .optionsGroup("How:")
    .addOption(shared.workers())
    .optionsGroup("Also:")
    .option(
      "--sweep [duration]",
      "also send 1 to 32 requests at a time, after all cases; the time is for each case (default: 60s)",
      parseDuration,
    )
    .optionsGroup("Settings and results:")
    .addOption(shared.allow())
    .addOption(
      new Option(
        "--cpu <accountant>",
        "ask platforms for the CPU time of each request (with --where deployed)",
      ).choices(["provider"]),
    )
    .addOption(shared.out());
  const declared = withOutput(withOwnServers(withTargets(withSettings)));
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

export async function whatToMeasure(options: RunCommandOptions) {
  const { QUICK } = await import("@evenbench/core");
  const { choose } = await import("../measuring.ts");
  const settings = { ...(options.quick && QUICK), ...options };
  const isOwn = isOfOwnServers(options);
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
    timeMs: settings.time ?? null,
    ...(settings.total !== undefined && { totalMs: settings.total }),
    warmUpExchanges: settings.warmUp ?? null,
    coldStarts: settings.cold,
    providerCpu: settings.cpu === "provider",
    ...(usualCases !== null && { usualCases }),
  };
}

/** What a piece of work throws; null where it throws nothing. */
async function problemOf(work: Promise<void>): Promise<{ readonly error: unknown } | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return { error };
  }
}

type Measurement = Awaited<ReturnType<typeof whatToMeasure>>;

async function sweepTargets(
  { folder, run: { id, plan } }: RunResult,
  { targets, cases, otherCaseIds, allow, workers, sweep }: Measurement,
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
