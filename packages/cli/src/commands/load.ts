import type { Arrivals, LatencyCondition } from "@evenbench/core";
import {
  createLoadReport,
  DEFAULT_LANES,
  type LoadGoal,
  type SubjectChoice,
  load as startLoad,
} from "@evenbench/load";
import { appIdOf, type Target } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { chooseCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { loadProgressLine } from "../load-progress.ts";
import { parseLanes, parseLimit, parseRates } from "../load-quantity.ts";
import { UsageError } from "../nearest.ts";
import { collect, parseDuration, wholeNumber } from "../quantity.ts";
import { buildTargets, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";
import { printLoadReport } from "./report.ts";

interface LoadCommandOptions extends SelectionOptions {
  readonly case: readonly string[];
  readonly lanes?: readonly number[];
  readonly rate?: readonly number[];
  readonly capacity?: LatencyCondition;
  readonly arrivals: Arrivals;
  readonly connections: number;
  readonly instances: number;
  readonly workers: number;
  readonly sets: number;
  readonly shareCores?: boolean;
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
}

/** `evenbench load`: what happens when more is asked of targets at a time. */
export default function load(program: Command, exit: Exit): void {
  const command = program
    .command("load")
    .description("put load on targets: a sweep over lanes or rates, or the highest rate that holds a latency")
    .requiredOption("-c, --case <id...>", "a case to load", collect)
    .addOption(
      new Option("--lanes <list>", 'requests at a time, such as "1,2,4" or "1..32" (default: 1..32)')
        .argParser(parseLanes)
        .conflicts(["rate", "capacity"]),
    )
    .addOption(
      new Option("--rate <list>", 'arrivals per second, such as "20" or "10,20,40"')
        .argParser(parseRates)
        .conflicts("capacity"),
    )
    .option("--capacity <condition>", 'find the highest rate that holds, such as "p99 <= 250ms"', parseLimit)
    .addOption(
      new Option("--arrivals <kind>", "gaps between arrivals")
        .choices(["poisson", "uniform"])
        .default("poisson"),
    )
    .option("--connections <n>", "connections for arrivals at a rate", wholeNumber(1, 1024), 64)
    .option("--instances <n>", "instances of each target, side by side", wholeNumber(1, 64), 1)
    .option("--workers <n>", "worker processes of a Node.js cluster", wholeNumber(1, 256), 1)
    .option("--sets <n>", "sets of fresh instances", wholeNumber(1, 50), 3)
    .option("--share-cores", "let the client and the servers share all cores")
    .option("--time <duration>", "time for each case (default: 60s; 120s for a capacity)", parseDuration)
    .option("--seed <n>", "seed of all random order (default: random)", wholeNumber(0, 2 ** 32 - 1))
    .option("--allow <pin...>", "let a pin differ; the report then carries the warning", collect)
    .option("-o, --out <folder>", "the folder that takes the run's own folder", "results");
  withSelection(command).action(async (options: LoadCommandOptions) => {
    const selected = await targetsWith(await selectTargets(options), options.case);
    const { targets, missing } = await buildTargets(selected, options);
    const { byApp, otherIds } = await chooseCases(targets, options.case);
    const progress = loadProgressLine(process.stderr);
    const { folder, run } = await startLoad({
      subjects: targets
        .filter((target) => appIdOf(target) in byApp)
        .map((target) => subjectOf(target, options)),
      cases: byApp,
      otherCaseIds: otherIds,
      goal: goalOf(options),
      sets: options.sets,
      coresApart: options.shareCores !== true,
      out: options.out,
      allow: options.allow ?? [],
      signal: interruptible(),
      ...(options.time === undefined ? {} : { timeMs: options.time }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      onProgress: progress.show,
      onEvent: (event) => {
        progress.clear();
        console.error(`! ${event.detail}`);
      },
    });
    progress.clear();
    printLoadReport(await createLoadReport(folder));
    if (run.status === "interrupted") exit.code = ExitCode.interrupted;
    else if (run.status !== "complete" || missing.length > 0) exit.code = ExitCode.failed;
  });
}

function subjectOf(target: Target, { instances, workers }: LoadCommandOptions): SubjectChoice {
  if (target.place === "url" && instances > 1)
    throw new UsageError(`--instances starts instances of local targets; ${target.name} runs already.`);
  return { name: target.name, target, instances, workers, parameters: {} };
}

function goalOf({ lanes, rate, capacity, arrivals, connections }: LoadCommandOptions): LoadGoal {
  if (capacity !== undefined) return { kind: "capacity", condition: capacity, arrivals, lanes: connections };
  if (rate !== undefined) {
    const loads = rate.map(
      (perSecond) => ({ kind: "open", perSecond, arrivals, lanes: connections }) as const,
    );
    return { kind: "sweep", loads };
  }
  return { kind: "sweep", loads: lanes?.map((one) => ({ kind: "closed", lanes: one })) ?? DEFAULT_LANES };
}
