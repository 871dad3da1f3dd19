import { STRANGER_APP } from "@evenbench/core";
import type { Run, RunPlan } from "@evenbench/results";

/** Whether a run is of servers that know nothing of Evenbench: all of its targets are, or none. */
export function isOfStrangers({ targets }: Pick<RunPlan, "targets">): boolean {
  return targets.some(({ app }) => app === STRANGER_APP);
}

/** The cases in which answers differed, and somebody asked to compare them all the same. */
export function unprovenCases({ events }: Pick<Run, "events">): ReadonlySet<string> {
  return new Set(events.flatMap(({ kind, caseId }) => (kind === "work-unproven" ? (caseId ?? []) : [])));
}

/** "The work was not proven equal in products, api-x."; null where it was. What every output of such a run carries. */
export function unprovenSentence(run: Pick<Run, "events">): string | null {
  const cases = [...unprovenCases(run)];
  return cases.length === 0 ? null : `The work was not proven equal in ${cases.join(", ")}.`;
}
