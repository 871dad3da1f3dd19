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

export type SupervisorOrder =
  | { readonly order: "start"; readonly command: HostCommand }
  | { readonly order: "stop"; readonly graceMs: number };

export type SupervisorNews =
  /** `atMs` by the system's own monotonic clock (`monotonicMs`), which all processes have in common. */
  | { readonly news: "started"; readonly pid: number; readonly atMs: number }
  | { readonly news: "serving"; readonly pids: readonly number[] }
  | { readonly news: "ended"; readonly how: string };

/** Of the system's own clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
