/** An error that a user caused. Its message says what, why and what next, and is printed without a stack. */
export class UserError extends Error {}

/** An error in a command line. The command then ends with exit code 2. */
export class UsageError extends UserError {}

/** Returns the message of anything that was thrown; a thrown value that is no `Error` as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
