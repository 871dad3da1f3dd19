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

/** What two runs must have, or be, alike. */
export type Likeness = readonly [what: string, of: (run: Run) => string];

export function unlike(
  all: readonly Likeness[],
  before: Run,
  after: Run,
  say: (what: string, then: string, now: string) => string,
): readonly string[] {
  return all.flatMap(([what, of]) => {
    const [then, now] = [of(before), of(after)];
    return then === now ? [] : [say(what, then, now)];
  });
}

const OF_PLANS: readonly Likeness[] = [
  ["The targets of a round", ({ plan }) => listed(plan.targets.map(({ name }) => name).sort())],
  ["Rounds of a trial", ({ plan }) => String(plan.roundsPerTrial ?? "as many as time allows")],
  ["Cores of the servers", ({ plan }) => plan.serverCores],
  ["Requests in a row", ({ plan }) => String(plan.spacing)],
  ["Pauses", ({ plan: { pauseMs } }) => (pauseMs === 0 ? "none" : formatDuration(pauseMs))],
  ["Worker processes", ({ plan }) => String(plan.workers)],
  [
    "Warm-ups",
    ({ plan: { warmUpExchanges: asked } }) => (asked === null ? "as found" : counted(asked, "request")),
  ],
];

export function unequalPlans(before: Run, after: Run): readonly string[] {
  const say = (what: string, then: string, now: string) =>
    `${what} differ: ${then} in ${before.id}, ${now} in ${after.id}.`;
  return unlike(OF_PLANS, before, after, say);
}

export function unequalCase(id: string, before: Run, after: Run): readonly string[] {
  const [then = 0, now = 0] = [before, after].map(({ plan }) => plan.caseBudgetMs[id]);
  if (Math.max(then, now) <= MOST_TIME_APART * Math.min(then, now)) return [];
  const timeOf = (ms: number) => (ms === 0 ? "no time of its own" : formatDuration(ms));
  return [`${id} had ${timeOf(then)} in ${before.id}, and ${timeOf(now)} in ${after.id}.`];
}
