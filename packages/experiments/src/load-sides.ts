import { createLoadReport, offeredBy, runLoad } from "@evenbench/load";
import { cautionLines, loadWords, stateLines } from "@evenbench/report";
import { geometricInterval, meanInterval, type RatioInterval } from "@evenbench/stats";
import type { Bench, LoadAnswer, LoadQuestion, SideLoad, StagePlace, StageValue } from "./define.ts";

/**
 * Puts load on sides, in three to five trials of `timeMs` milliseconds in all.
 *
 * @throws {RunError} when a side does not start.
 */
export async function loadSides(context: Bench, plan: SideLoad, timeMs: number): Promise<LoadAnswer> {
  const { caseId, sides, loads, trialMs } = plan;
  const targets = sides.map((side) => ({
    ...context.targetOf(side),
    instances: side.start?.instances ?? 1,
    workers: side.start?.workers ?? 1,
  }));
  const app = targets[0]?.app;
  const manifests = (await app?.cases()) ?? [];
  const { folder, run } = await runLoad({
    targets,
    cases: { [app?.id ?? ""]: manifests.filter(({ id }) => id === caseId) },
    otherCaseIds: manifests.map(({ id }) => id).filter((id) => id !== caseId),
    goal: { kind: "sweep", loads },
    trials: Math.min(5, Math.max(3, Math.floor(timeMs / trialMs))),
    timeMs,
    // On the servers' cores a busy client would take of what is measured, and send late.
    serverCores: "apart",
    seed: context.seed,
    asked: context.asked,
    out: context.folder,
    // Sides that are started otherwise have this pin, and nothing else has.
    allow: ["experiment"],
    signal: context.signal,
    onEvent: ({ detail: message, quotes }) => context.tell({ message, quotes }),
    onProgress: ({ target, load: offered }) =>
      context.progress(`${caseId}: ${target ?? "starting"} ${loadWords(offered)}`.trim()),
  });
  context.identities.push(...Object.values(run.identities));
  const { facts, stages } = await createLoadReport(folder);
  // Sides are meant to differ.
  const notices = facts.notices.filter(({ code }) => code !== "settings-allowed");
  const told = { ...facts, notices };
  return {
    stages: stages.filter(({ isFailed }) => !isFailed),
    folder,
    notes: [...stateLines(told), ...cautionLines(told)],
  };
}

/** Gives a value of a side at a load, by trial; trials without the value are left out. */
function valuesAt(
  { stages }: LoadAnswer,
  { side, offered }: StagePlace,
  pick: StageValue,
): ReadonlyMap<number, number> {
  const summaries = stages.filter(({ stage }) => stage.target === side && offeredBy(stage.load) === offered);
  return new Map(
    summaries.flatMap((summary) => {
      const value = pick(summary);
      return value === null ? [] : [[summary.stage.trial, value] as const];
    }),
  );
}

/**
 * Computes the mean of a value over trials, or, with `against`, the geometric mean of its ratio to that place in the
 * same trials; null with fewer than two such trials.
 */
export function valueAt(
  answer: LoadAnswer,
  { at, against, value }: Pick<LoadQuestion, "at" | "against" | "value">,
): RatioInterval | null {
  const dividends = valuesAt(answer, at, value);
  if (against === undefined) {
    return meanInterval([...dividends.values()]);
  }
  const divisors = valuesAt(answer, against, value);
  const logs = [...dividends].flatMap(([trial, dividend]) => {
    const divisor = divisors.get(trial) ?? 0;
    return dividend > 0 && divisor > 0 ? [Math.log(dividend / divisor)] : [];
  });
  return geometricInterval(logs);
}
