import type { Run, RunEvent } from "@evenbench/results";
import type { Problem } from "./plan-logs.ts";

/** What a run's record says of problems that were let pass. Nothing is missing where versions of HTTP are mixed. */
export function outcomeOf(problems: readonly Problem[]): Pick<Run, "status" | "events"> {
  const isWhole = problems.every(({ kind }) => kind === "mixed");
  return { status: isWhole ? "complete" : "interrupted", events: problems.map(eventOf) };
}

function eventOf({ kind, sentence }: Problem): RunEvent {
  const what = kind === "mixed" ? "mixed-http" : "vantage-incomplete";
  return { atMs: 0, kind: what, caseId: null, target: null, trial: null, detail: sentence };
}
