/** An error that a user caused. Its message says what, why and what next, and is printed without a stack. */
export class UserError extends Error {}

/** An error in a command line. The command then ends with exit code 2. */
export class UsageError extends UserError {}

/** The error of a program that failed. */
export class ProgramError extends UserError {
  /** null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the message of anything that was thrown; a thrown value that is no `Error` as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Number of letters of an error that are shown where it has one line. */
const ERROR_LINE_LETTERS = 300;

/** Writes anything that was thrown as one line, cut where it is long. */
export function errorLine(thrown: unknown): string {
  return String(thrown).replace(/\s+/g, " ").slice(0, ERROR_LINE_LETTERS);
}
