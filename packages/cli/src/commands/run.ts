import { availableParallelism } from "node:os";
import { sweepAdditions, sweepRun } from "@evenbench/load";
import { createReport } from "@evenbench/report";
import { appIdOf, type RunOptions, type RunResult, run as startRun } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { loadProgressLine } from "../load-progress.ts";
import { pick } from "../nearest.ts";
import { progressLine } from "../progress.ts";
import { collect, parseDuration, parsePrecision, wholeNumber } from "../quantity.ts";
import { buildTargets, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";
import { casesToMeasure } from "../services.ts";
import { printReport } from "./report.ts";

interface RunCommandOptions extends SelectionOptions {
  readonly case?: readonly string[];
  readonly rounds?: number;
  readonly time?: number;
  readonly total?: number;
  readonly precision: number;
  readonly seed?: number;
  readonly out: string;
  readonly baseline?: string;
  readonly workers: number;
  readonly cold: number;
  readonly allow?: readonly string[];
  readonly cpu?: "provider";
  readonly sweep?: number | true;
}

/** `evenbench run`, the default: builds, serves, proves, measures and reports. */
export default function run(program: Command, exit: Exit): void {
  const command = program
    .command("run", { isDefault: true })
    .description("build, host all targets locally, preflight, measure and report (the default)")
    .option("-c, --case <id...>", "a case to measure (default: all)", collect)
    .option(
      "--time <duration>",
      'time for each case, such as "60s" (default: its share of --total)',
      parseDuration,
    )
    .option("--total <duration>", "time for all cases together (default: 14 s for each)", parseDuration)
    .option(
      "--rounds <n>",
      "measured rounds for each set of instances (default: what the time allows)",
      wholeNumber(1, 1e6),
    )
    .option(
      "--precision <width>",
      'stop a case early when its intervals are narrower than this, such as "2%"',
      parsePrecision,
      0.02,
    )
    .option(
      "--seed <n>",
      "seed of all random order (default: random; a report names it)",
      wholeNumber(0, 2 ** 32 - 1),
    )
    .option("--baseline <target>", 'the target that the others are compared with (default: "node")')
    .option("--workers <n|max>", "worker processes of a Node.js cluster", workers, 1)
    .option(
      "--cold <n>",
      "also start so many instances of each target for their first exchanges alone, after each case",
      wholeNumber(0, 1000),
      0,
    )
    .option(
      "--sweep [duration]",
      "also ask targets for 1 to 32 answers at a time, after all cases: so long for each case (default: 60s)",
      parseDuration,
    )
    .option("--allow <pin...>", "let a pin differ; the report then carries the warning", collect)
    .addOption(
      new Option(
        "--cpu <accountant>",
        "ask platforms for the CPU time of each request (with --where deployed)",
      ).choices(["provider"]),
    )
    .option("-o, --out <folder>", "the folder that takes the run's own folder", "results");
  withSelection(command).action(async (options: RunCommandOptions) => {
    const selected = await targetsWith(await selectTargets(options), options.case ?? []);
    if (options.baseline !== undefined)
      pick(
        "target",
        [options.baseline],
        selected.map((target) => target.name),
      );
    const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
    const { byApp, otherIds } = await casesToMeasure(targets, options.case ?? []);
    const progress = progressLine(process.stderr);
    const signal = interruptible();
    const measured: RunOptions = {
      targets: targets.filter((target) => appIdOf(target) in byApp),
      cases: byApp,
      otherCaseIds: otherIds,
      missing,
      workers: options.workers,
      coldStarts: options.cold,
      timeMs: options.time ?? null,
      rounds: options.rounds ?? null,
      precision: options.precision,
      out: options.out,
      allow: options.allow ?? [],
      providerCpu: options.cpu === "provider",
      signal,
      ...(options.total === undefined ? {} : { totalMs: options.total }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.baseline === undefined ? {} : { baseline: options.baseline }),
      onProgress: progress.show,
      onEvent: (event) => {
        // Said when it happened, with the build's own words.
        if (event.kind === "build-failed") return;
        progress.clear();
        console.error(`! ${event.detail}`);
      },
    };
    const result = await startRun(measured);
    progress.clear();
    try {
      if (options.sweep !== undefined && !signal.aborted) await sweep(result, measured, options.sweep, exit);
    } finally {
      printReport(await createReport(result.folder, undefined, undefined, sweepAdditions));
    }
    if (signal.aborted) exit.code = ExitCode.interrupted;
    else if (result.run.status !== "complete" || missing.length > 0) exit.code = ExitCode.failed;
    // Who names the cases does not ask for the others.
    else if (casesLeftOut && options.case === undefined) exit.code = ExitCode.failed;
  });
}

/** The same targets and cases once more, with more and more requests at a time. */
async function sweep(
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
      onProgress: progress.show,
      ...(time === true ? {} : { timeMs: time }),
      ...(signal && { signal }),
      ...(onEvent && { onEvent }),
    },
  );
  progress.clear();
  if (swept.run.status === "failed") exit.code = ExitCode.failed;
}

function workers(text: string): number {
  return text === "max" ? Number.MAX_SAFE_INTEGER : wholeNumber(1, 256)(text);
}
