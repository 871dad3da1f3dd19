import { endTree } from "@evenbench/host";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Heads of the process groups of commands that run now: a terminal's Ctrl-C does not reach them by itself. */
const running = new Set<number>();

/** Sees to it that a command ends when this process is told to end, or ends, until it is disposed. */
export function endWithThis(pid: number): Disposable {
  if (running.size === 0) watch();
  running.add(pid);
  return {
    [Symbol.dispose]() {
      running.delete(pid);
      if (running.size === 0) unwatch();
    },
  };
}

function watch(): void {
  for (const signal of SIGNALS) process.on(signal, endAll);
  process.on("exit", killAll);
}

function unwatch(): void {
  for (const signal of SIGNALS) process.off(signal, endAll);
  process.off("exit", killAll);
}

/** The commands fail then, and this process ends by that. */
function endAll(): void {
  for (const pid of running) void endTree(pid);
}

function killAll(): void {
  for (const pid of running) {
    try {
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // ESRCH: gone already.
    }
  }
}
