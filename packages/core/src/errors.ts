/** Why something failed. */
export interface Reason {
  /** What, why and what next. */
  readonly message: string;
  /**
   * Ends of logs and of programs' output that say more, each in lines as they are shown. They may have secrets: a
   * terminal and a CI's log show them, and no record of a run and no comment has them.
   */
  readonly quotes: readonly string[];
}

/** An error that a user caused. Its message says what, why and what next, and is printed without a stack. */
export class UserError extends Error implements Reason {
  readonly quotes: readonly string[];

  constructor(message: string, quotes: readonly string[] = []) {
    super(message);
    this.quotes = quotes;
  }
}

/** An error in a command line. The command then ends with exit code 2. */
export class UsageError extends UserError {}

/** The error of a program that failed. */
export class ProgramError extends UserError {
  /** null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null, quotes: readonly string[] = []) {
    super(message, quotes);
    this.exitCode = exitCode;
  }
}

/** Returns the message of anything that was thrown; a thrown value that is no `Error` as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns what an error quotes of logs; nothing of what is no `UserError`. */
export function quotesOf(thrown: unknown): readonly string[] {
  return thrown instanceof UserError ? thrown.quotes : [];
}

/** Returns the message of anything that was thrown, and what it quotes of logs. */
export function reasonOf(thrown: unknown): Reason {
  return { message: messageOf(thrown), quotes: quotesOf(thrown) };
}

/** Writes a reason with all that it quotes, for whoever may read the logs. */
export function withQuotes({ message, quotes }: Reason): string {
  return [message, ...quotes].join("\n");
}

/** Number of letters of an error that are shown where it has one line. */
const ERROR_LINE_LETTERS = 300;

/** Writes anything that was thrown as one line, cut where it is long. */
export function errorLine(thrown: unknown): string {
  return String(thrown).replace(/\s+/g, " ").slice(0, ERROR_LINE_LETTERS);
}
