import { UserError } from "@evenbench/core";

/** What can go wrong with a results folder; the message is one line with what, why and what to do next. */
export class ResultsError extends UserError {
  override readonly name = "ResultsError";
}

/** The code of a system error ("EACCES"), or its message where it has none. */
export function systemReason(error: unknown): string {
  if (error instanceof Error) return "code" in error ? String(error.code) : error.message;
  return String(error);
}
