import type { CommandTrace } from "./left-behind.ts";

/** A command that starts a server. */
export interface HostCommand {
  /** The program: a path, or a name in PATH. */
  readonly file: string;
  readonly args: readonly string[];
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it works in. Default: this process's own. */
  readonly cwd?: string;
  /**
   * Whether it has an IPC channel, on which it sends a `ServingMessage` when all workers are up and at every
   * change.
   */
  readonly reportsWorkers?: boolean;
  /**
   * The marks of a user's own command: it may leave its process group, and its processes are ended all the
   * same.
   */
  readonly trace?: CommandTrace;
}

/** A report of a process with workers. */
export interface ServingMessage {
  /** Ids of the processes that serve now. */
  readonly serving: readonly number[];
}

/** A report of a supervisor. Its parent sends it one command; both end where the channel is closed. */
export type SupervisorNews =
  | ServingMessage
  /** The id of the process that started, and when: by `monotonicMs`. */
  | { readonly started: number; readonly atMs: number }
  | { readonly ended: string };

/** Words of `SupervisorNews.ended` for a process that ended while processes it had started went on. */
export const LEFT_FOREGROUND = "left the foreground";

/** Milliseconds that a server has to end before it is killed. */
export const SERVER_GRACE_MS = 2000;

/** Milliseconds by the system's own monotonic clock, which all processes have in common. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
