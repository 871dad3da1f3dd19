import { STRANGER_APP } from "@evenbench/core";
import {
  createLoadReport,
  DEFAULT_LOADS,
  type LoadEngine,
  type LoadGoal,
  runLoad,
  type SubjectChoice,
} from "@evenbench/load";
import type { Arrivals, LatencyCondition } from "@evenbench/results";
import { appIdOf, type ServerCores, type Target } from "@evenbench/runner";
import { chooseCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { loadProgressLine } from "../load-progress.ts";
import { UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { isOfOwnServers, type OwnServerOptions, refuseForOwnServers } from "../own-servers/options.ts";
import { readOwnServers } from "../own-servers/parse.ts";
import { sayNote } from "../say.ts";
import { buildTargets, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";
import { printLoadReport } from "./report.ts";

export interface LoadCommandOptions extends SelectionOptions, OwnServerOptions, OutputOptions {
  readonly concurrency?: readonly number[];
  readonly rate?: readonly number[];
  readonly capacity?: LatencyCondition;
  readonly arrivals?: Arrivals;
  readonly engine: "own" | "k6";
  readonly connections: number;
  readonly instances: number;
  readonly workers: number;
  readonly trials: number;
  readonly serverCores: ServerCores;
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
  readonly plan?: string;
  readonly machines: number;
  readonly region: string;
}

export async function loadCommand(options: LoadCommandOptions, exit: Exit): Promise<void> {
  refuseForK6(options);
  const { targets, missing, byApp, otherIds } = await whatToLoad(options, exit);
  const engine = options.engine === "k6" ? await k6For(targets) : null;
  const progress = loadProgressLine(process.stderr);
  const { folder, run } = await runLoad({
    subjects: targets
      .filter((target) => appIdOf(target) in byApp)
      .map((target) => subjectOf(target, options)),
    cases: byApp,
    otherCaseIds: otherIds,
    goal: goalOf(options),
    engine,
    trials: options.trials,
    serverCores: options.serverCores,
    ...(options.sameWork && { sameWork: options.sameWork }),
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

/** Targets and cases of the repository, or servers of one's own and their paths. */
async function whatToLoad(options: LoadCommandOptions, exit: Exit) {
  if (isOfOwnServers(options)) {
    const { targets, cases } = await readOwnServers(options);
    return { targets, missing: [], byApp: { [STRANGER_APP]: cases }, otherIds: [] };
  }
  const wanted = casesOf(options);
  const selected = await targetsWith(await selectTargets(options, exit), wanted);
  const { targets, missing } = await buildTargets(selected, options);
  return { targets, missing, ...(await chooseCases(targets, wanted)) };
}

/** @throws {UsageError} where no case is named. */
export function casesOf(options: LoadCommandOptions): readonly string[] {
  refuseForOwnServers(options);
  if (options.case !== undefined) return options.case;
  throw new UsageError(
    'Nothing says what to load. Name a case (--case react-ssr), or a path of your own servers (--target a="cmd: node server.js" --path /).',
  );
}

function subjectOf(target: Target, { instances, workers }: LoadCommandOptions): SubjectChoice {
  if (target.place === "url" && instances > 1)
    throw new UsageError(`--instances starts instances of local targets; ${target.name} runs already.`);
  return { name: target.name, target, instances, workers, parameters: {} };
}

/** @throws {UsageError} for what k6 is not asked to do. */
export function refuseForK6({ engine, rate, arrivals }: LoadCommandOptions): void {
  if (engine !== "k6") return;
  if (rate === undefined)
    throw new UsageError(
      "k6 puts a rate on targets, and no concurrency or capacity. Give one with --rate, such as --rate 1000, or leave --engine out.",
    );
  if (arrivals === "poisson")
    throw new UsageError(
      "k6 makes arrivals with equal gaps. Leave --arrivals out, or let our own client send: leave --engine out.",
    );
}

/** @throws {UserError} where there is no k6, or a target is not one of this machine. */
async function k6For(targets: readonly Target[]): Promise<LoadEngine> {
  const elsewhere = targets.find(({ place, stranger }) => place === "url" || stranger !== undefined);
  if (elsewhere !== undefined)
    throw new UsageError(
      `k6 puts load on targets that Evenbench starts, and ${elsewhere.name} is none. Leave --engine out.`,
    );
  const { k6Engine } = await import("@evenbench/load/k6");
  return k6Engine();
}

function goalOf(options: LoadCommandOptions): LoadGoal {
  const { concurrency, rate, capacity, connections, engine } = options;
  const arrivals = options.arrivals ?? (engine === "k6" ? "uniform" : "poisson");
  if (capacity !== undefined) return { kind: "capacity", condition: capacity, arrivals, connections };
  if (rate !== undefined) {
    const loads = rate.map((perSecond) => ({ kind: "open", perSecond, arrivals, connections }) as const);
    return { kind: "sweep", loads };
  }
  const loads = concurrency?.map((one) => ({ kind: "closed", connections: one }) as const) ?? DEFAULT_LOADS;
  return { kind: "sweep", loads };
}
