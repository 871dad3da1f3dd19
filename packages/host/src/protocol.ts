import type { CommandTrace } from "./left-behind.ts";

export interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** It then has an IPC channel, on which it sends a `ServingMessage` when all are up and at every change. */
  readonly reportsWorkers?: boolean;
  /** Of a command that is not ours: it may leave its process group, and its processes are ended all the same. */
  readonly trace?: CommandTrace;
}

/** From a process with workers: the pids that serve now. */
export interface ServingMessage {
  readonly serving: readonly number[];
}

/** From a supervisor, to which its parent sends one command; both end where the channel is closed. */
export type SupervisorNews =
  | ServingMessage
  /** By the system's own monotonic clock (`monotonicMs`), which all processes have in common. */
  | { readonly started: number; readonly atMs: number }
  | { readonly ended: string };

/** What a process did that ended while processes it had started went on, in the words of `SupervisorNews.ended`. */
export const LEFT_FOREGROUND = "left the foreground";

/** Before a server that was asked to end is killed. */
export const GRACE_MS = 2000;

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
