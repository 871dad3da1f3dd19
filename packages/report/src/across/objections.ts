import { formatDuration } from "@evenbench/core";
import type { Run, RunPlan } from "@evenbench/results";
import { counted, listed } from "../format.ts";

/** The larger time to the smaller: less comes from what preflight saw, two runs of one command differ by it. */
const MOST_TIME_APART = 1.25;

export function objectionsTo({
  run,
  damage,
}: {
  readonly run: Run;
  readonly damage: string | null;
}): readonly string[] {
  return [
    ...(damage === null ? [] : [damage]),
    ...(run.vantages === undefined
      ? []
      : ["It was measured from several vantages, and their routes are in its times: read its own report."]),
    ...(run.status === "complete" ? [] : [UNFINISHED[run.status]]),
  ];
}

const UNFINISHED = {
  running: "It did not finish, or still runs.",
  interrupted: "It was interrupted.",
  failed: "It failed: it ended before all of its plan was measured.",
} as const satisfies Record<Exclude<Run["status"], "complete">, string>;

export function unequalPlans(before: Run, after: Run): readonly string[] {
  const found: string[] = [];
  const note = (what: string, of: (plan: RunPlan) => string) => {
    const [then, now] = [of(before.plan), of(after.plan)];
    if (then !== now) found.push(`${what} differ: ${then} in ${before.id}, ${now} in ${after.id}.`);
  };
  note("The targets of a round", ({ targets }) => listed(targets.map(({ name }) => name).sort()));
  note("Rounds of a trial", ({ roundsPerTrial }) =>
    roundsPerTrial === null ? "as many as time allows" : String(roundsPerTrial),
  );
  note("Cores of the servers", ({ serverCores }) => serverCores);
  note("Requests in a row", ({ spacing }) => String(spacing));
  note("Pauses", ({ pauseMs }) => (pauseMs === 0 ? "none" : formatDuration(pauseMs)));
  note("Worker processes", ({ workers }) => String(workers));
  note("Warm-ups", ({ warmUpExchanges }) =>
    warmUpExchanges === null ? "as found" : counted(warmUpExchanges, "request"),
  );
  return found;
}

export function unequalCase(id: string, before: Run, after: Run): string | null {
  const [then, now] = [before.plan.caseBudgetMs[id], after.plan.caseBudgetMs[id]];
  const [shorter, longer] = [Math.min(then ?? 0, now ?? 0), Math.max(then ?? 0, now ?? 0)];
  if (longer <= MOST_TIME_APART * shorter) return null;
  return `${id} had ${timeOf(then)} in ${before.id}, and ${timeOf(now)} in ${after.id}.`;
}

function timeOf(budgetMs: number | undefined): string {
  return budgetMs === undefined ? "no time of its own" : formatDuration(budgetMs);
}
