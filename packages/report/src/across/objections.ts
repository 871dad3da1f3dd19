import { formatDuration } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import { counted, listed } from "../format.ts";

/** The larger time to the smaller: less comes from what preflight saw, two runs of one command differ by it. */
const MOST_TIME_APART = 1.25;

export function objectionsTo(run: Run, damage: string | null = null): readonly string[] {
  const routes =
    "It was measured from several vantages, and their routes are in its times: read its own report.";
  return [
    ...(damage === null ? [] : [damage]),
    ...(run.vantages === undefined ? [] : [routes]),
    ...(run.status === "complete" ? [] : [UNFINISHED[run.status]]),
  ];
}

const UNFINISHED = {
  running: "It did not finish, or still runs.",
  interrupted: "It was interrupted.",
  failed: "It failed: it ended before all of its plan was measured.",
} as const satisfies Record<Exclude<Run["status"], "complete">, string>;

/** Of a run, by their names. */
export type Facts = ReadonlyMap<string, string>;

/** What both runs tell, and not alike. */
export function unlike(
  before: Facts,
  after: Facts,
  say: (name: string, then: string, now: string) => string,
): readonly string[] {
  return [...after].flatMap(([name, now]) => {
    const then = before.get(name) ?? now;
    return then === now ? [] : [say(name, then, now)];
  });
}

function planned({ plan }: Run): Facts {
  const { warmUpExchanges: asked, pauseMs } = plan;
  return new Map([
    ["The targets of a round", listed(plan.targets.map(({ name }) => name).sort())],
    ["Rounds of a trial", String(plan.roundsPerTrial ?? "as many as time allows")],
    ["Cores of the servers", plan.serverCores],
    ["Requests in a row", String(plan.spacing)],
    ["Pauses", pauseMs === 0 ? "none" : formatDuration(pauseMs)],
    ["Worker processes", String(plan.workers)],
    ["Warm-ups", asked === null ? "as found" : counted(asked, "request")],
  ]);
}

/** Why the times of a case in two runs cannot be held against one another. */
export function unequal(caseId: string, before: Run, after: Run): readonly string[] {
  const plans = unlike(
    planned(before),
    planned(after),
    (what, then, now) => `${what} differ: ${then} in ${before.id}, ${now} in ${after.id}.`,
  );
  const [then = 0, now = 0] = [before, after].map(({ plan }) => plan.caseBudgetMs[caseId]);
  if (Math.max(then, now) <= MOST_TIME_APART * Math.min(then, now)) return plans;
  const timeOf = (ms: number) => (ms === 0 ? "no time of its own" : formatDuration(ms));
  return [...plans, `${caseId} had ${timeOf(then)} in ${before.id}, and ${timeOf(now)} in ${after.id}.`];
}
