// Runs the server that its parent names, and outlives the parent just long enough to end it.
import { spawn } from "node:child_process";
import { processTree, send } from "./process-tree.ts";
import {
  GRACE_MS,
  type HostCommand,
  monotonicMs,
  type ServingMessage,
  type SupervisorNews,
} from "./protocol.ts";

process.once("message", ({ file, args, env, cwd, reportsWorkers }: HostCommand) => {
  const atMs = monotonicMs();
  const stdio = ["ignore", "inherit", "inherit", ...(reportsWorkers ? ["ipc" as const] : [])] as const;
  const server = spawn(file, args, { env, cwd, detached: true, windowsHide: true, stdio: [...stdio] });
  const { pid } = server;
  /** Some of it may have left its process group. */
  let below: readonly number[] = [];
  const kill = () => {
    if (pid === undefined) return;
    for (const descendant of below) send(descendant, "SIGKILL");
    // Windows has no process groups; there the workers end when their channel to the primary closes.
    send(process.platform === "win32" ? pid : -pid, "SIGKILL");
  };
  const stop = () => {
    if (pid !== undefined) below = processTree(pid).filter((descendant) => descendant !== pid);
    server.kill("SIGTERM");
    setTimeout(kill, GRACE_MS).unref();
  };
  const endWith = (ended: string) => tell({ ended }, () => process.exit(0));
  server.once("error", ({ message }) => endWith(message));
  server.once("spawn", () => tell({ started: pid ?? 0, atMs }));
  server.once("exit", (code, signal) => {
    // Workers that lost their primary must not go on.
    kill();
    endWith(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
  });
  server.on("message", (message: ServingMessage) => tell(message));
  process.on("disconnect", stop);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, stop);
});

function tell(news: SupervisorNews, then: () => void = () => {}): void {
  if (process.connected) process.send?.(news, undefined, undefined, then);
  else then();
}
