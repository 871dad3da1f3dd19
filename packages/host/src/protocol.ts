export interface HostCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** It then has an IPC channel, on which it sends a `ServingMessage` when all are up and at every change. */
  readonly reportsWorkers?: boolean;
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

/** Before a server that was asked to end is killed. */
export const GRACE_MS = 2000;

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
