/** A command that is started below a supervisor. */
export interface HostCommand {
  /** The program: a path, or a name in PATH. */
  readonly file: string;
  readonly args: readonly string[];
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it works in. Default: this process's own. */
  readonly cwd?: string | undefined;
  /**
   * Whether it has an IPC channel, on which it sends a `ServingMessage` when all workers are up and at every
   * change.
   */
  readonly reportsWorkers?: boolean;
}

/** What a supervisor is told: one command, and later perhaps its end. Both end where the channel is closed. */
export type SupervisorOrder =
  | {
      readonly command: HostCommand;
      /** The mark that its processes have, as `newMark` gives it; null: none. */
      readonly mark: string | null;
      /** Milliseconds that its processes have to end before they are killed. */
      readonly graceMs: number;
      /** The file that takes what they write, and whose size is bounded; null: there is none. */
      readonly logFile: string | null;
    }
  | { readonly stop: true };

/** A report of a process with workers. */
export interface ServingMessage {
  /** Ids of the processes that serve now. */
  readonly serving: readonly number[];
}

/** A report of a supervisor. */
export type SupervisorNews =
  | ServingMessage
  /** The id of the process that started, and when: by `monotonicMs`. */
  | { readonly started: number; readonly atMs: number }
  /** Number of bytes that were written to the log so far. */
  | { readonly logged: number }
  | { readonly ended: CommandEnd };

/** The end of a command. */
export interface CommandEnd {
  /** The exit code of its process; null where a signal ended it, or it did not start. */
  readonly code: number | null;
  /** The signal that ended it; null where none did. */
  readonly signal: string | null;
  /** The reason for which it did not start; null where it did. */
  readonly error: string | null;
  /** Id of a process that went on when the first one had ended with exit code 0 by itself; null: there is none. */
  readonly wentOn: number | null;
  /** Ids of processes that could not be ended. */
  readonly left: readonly number[];
}

/** What the end of a command says that was never started, beside its error. */
export const NOT_STARTED = { code: null, signal: null, wentOn: null, left: [] } as const satisfies Omit<
  CommandEnd,
  "error"
>;

/** Milliseconds that a server has to end before it is killed. */
export const SERVER_GRACE_MS = 2000;

/** Milliseconds by the system's own monotonic clock, which all processes have in common. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
