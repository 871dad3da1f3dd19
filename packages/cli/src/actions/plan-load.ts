import { counted } from "@evenbench/report/parts";
import type { OpenLoad } from "@evenbench/results";
import { appIdOf } from "@evenbench/runner";
import { makeRatePlan, vantageName, writePlan } from "@evenbench/vantages";
import { chooseCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { UsageError } from "../nearest.ts";
import { say, sayAside, sayNote } from "../say.ts";
import { refuseLocal, selectTargets } from "../selection.ts";
import { casesOf, type LoadCommandOptions, refuseForK6 } from "./load.ts";

const STAGE_MS = 20_000;
/** k6 refuses a shorter scenario; what is shorter is over before its unmeasured part is. */
const LEAST_STAGE_MS = 2000;
/** What a stage takes besides: connections are opened, and the last answers waited for. */
const BESIDES_MS = 14_000;

/**
 * Proves the targets from here, and writes what several machines are to send together. Nothing but preflight
 * is sent.
 */
export async function planLoad(
  options: LoadCommandOptions & { readonly plan: string },
  exit: Exit,
): Promise<void> {
  refuseOptions(options);
  const named = await selectTargets(options, exit);
  refuseLocal(named);
  const wanted = casesOf(options);
  const targets = await targetsWith(named, wanted);
  const { byApp, otherIds } = await chooseCases(targets, wanted);
  const loads = loadsOf(options);
  const own = targets.filter((target) => appIdOf(target) in byApp);
  const signal = interruptible("Stopping; nothing was written.");
  sayNote("Preflight from here ...");
  const made = await makeRatePlan({
    targets: own,
    cases: byApp,
    otherCaseIds: otherIds,
    loads,
    trials: options.trials,
    stageMs: stageMsOf(options, own.length * loads.length * options.trials),
    machines: options.machines,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    allow: options.allow ?? [],
    signal,
    onEvent: ({ detail }) => sayAside(`! ${detail}`),
  });
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
    return;
  }
  for (const line of await writePlan(made, options.plan, [options.region])) say(line);
  say(`Nothing of it is sent yet. ${options.plan}/README.md has the commands for each engine.`);
}

/** @throws {UsageError} for what a plan cannot have. */
function refuseOptions(options: LoadCommandOptions): void {
  if (options.engine !== "k6")
    throw new UsageError("A plan for several machines is played by k6: say --engine k6 --rate <list>.");
  refuseForK6(options);
  if (!vantageName.safeParse(options.region).success)
    throw new UsageError(
      `"${options.region}" is no region. Use lower-case letters, digits and hyphens, such as eu-central-1.`,
    );
  if (options.connections < options.machines)
    throw new UsageError(
      `${options.machines} machines need a connection each, and there are ${options.connections}. Give more with --connections.`,
    );
}

function loadsOf({ rate = [], connections }: LoadCommandOptions): readonly OpenLoad[] {
  return rate.map((perSecond) => ({ kind: "open", perSecond, arrivals: "uniform", connections }));
}

/** @param stages of a case. @throws {UsageError} when the time is too short for them. */
function stageMsOf({ time }: LoadCommandOptions, stages: number): number {
  if (time === undefined) return STAGE_MS;
  const stageMs = Math.floor(time / stages) - BESIDES_MS;
  if (stageMs >= LEAST_STAGE_MS) return stageMs;
  const leastS = Math.ceil((stages * (LEAST_STAGE_MS + BESIDES_MS)) / 1000);
  throw new UsageError(
    `${counted(stages, "stage")} of a case need at least ${leastS} s, since each waits ${BESIDES_MS / 1000} s for connections and last answers. Give --time ${leastS}s or more, or fewer rates or --trials.`,
  );
}
