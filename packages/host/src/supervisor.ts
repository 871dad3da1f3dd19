// Runs one server process and outlives its parent just long enough to end it.
import { type ChildProcess, spawn } from "node:child_process";
import { processTree, send } from "./process-tree.ts";
import {
  type HostCommand,
  monotonicMs,
  type ServingMessage,
  type SupervisorNews,
  type SupervisorOrder,
} from "./protocol.ts";

let server: ChildProcess | undefined;
/** Some of it may have left its process group. */
let below: readonly number[] = [];

process.on("message", (order: SupervisorOrder) => {
  if (order.order === "start") start(order.command);
  else stop(order.graceMs);
});
process.on("disconnect", () => {
  lookBelow();
  killGroup("SIGKILL");
  process.exit(0);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop(0));

function start(command: HostCommand): void {
  const atMs = monotonicMs();
  server = spawn(command.file, command.args, {
    env: command.env,
    cwd: command.cwd,
    detached: true,
    windowsHide: true,
    stdio: command.reportsWorkers
      ? ["ignore", "inherit", "inherit", "ipc"]
      : ["ignore", "inherit", "inherit"],
  });
  server.once("error", (error) => endWith(error.message));
  server.once("spawn", () => tell({ news: "started", pid: server?.pid ?? 0, atMs }));
  server.once("exit", (code, signal) => {
    // Workers that lost their primary must not go on.
    killGroup("SIGKILL");
    endWith(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
  });
  server.on("message", (message: ServingMessage) => tell({ news: "serving", pids: message.serving }));
}

function stop(graceMs: number): void {
  if (server === undefined) process.exit(0);
  lookBelow();
  server.kill("SIGTERM");
  setTimeout(() => killGroup("SIGKILL"), graceMs).unref();
}

function lookBelow(): void {
  if (server?.pid !== undefined) below = processTree(server.pid).filter((pid) => pid !== server?.pid);
}

function killGroup(signal: NodeJS.Signals): void {
  if (server?.pid === undefined) return;
  for (const pid of below) send(pid, signal);
  // Windows has no process groups; there the workers end when their channel to the primary closes.
  send(process.platform === "win32" ? server.pid : -server.pid, signal);
}

function tell(news: SupervisorNews, then: () => void = () => {}): void {
  if (process.connected) process.send?.(news, undefined, undefined, then);
  else then();
}

function endWith(how: string): void {
  tell({ news: "ended", how }, () => process.exit(0));
}
