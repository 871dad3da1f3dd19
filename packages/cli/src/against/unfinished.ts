import type { Run } from "@evenbench/results";
import type { RunError } from "@evenbench/runner";
import { isWhole } from "../measuring.ts";

/**
 * A line for each target, or else each case, that a run did not measure to its end. None after an
 * interruption: whoever asked for that knows.
 */
export function unfinishedOf(
  { status, events }: Pick<Run, "status" | "events">,
  name: string,
): readonly string[] {
  if (status === "interrupted" || isWhole({ status, events })) return [];
  const dropped = events.filter(({ kind }) => kind === "target-dropped");
  const isTold = (caseId: string | null) => dropped.some((one) => one.caseId === caseId);
  const failed = events.filter(({ kind, caseId }) => kind === "case-failed" && !isTold(caseId));
  const reasons = [...dropped, ...failed].map(({ detail }) => sentence(detail));
  if (reasons.length === 0) reasons.push(`the run of ${name} is ${status}.`);
  return reasons.map((reason) => `Not measured whole: ${reason} The report of ${name} says more.`);
}

/** The same for a target that could not be measured at all. No report says more, so the whole reason is here. */
export function unbegun({ message }: RunError, name: string): string {
  return `Not measured: ${name}. ${message.trim()}`;
}

/** The first line, without the end of a log that may be below. */
function sentence(detail: string): string {
  const [first = ""] = detail.trim().split("\n");
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
