// Runs the server that its parent names, and outlives the parent just long enough to end it.
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { endLeftBehind, findLeftBehind, startTicksOf } from "./left-behind.ts";
import { processTree, sendSignal } from "./process-tree.ts";
import {
  type HostCommand,
  LEFT_FOREGROUND,
  monotonicMs,
  SERVER_GRACE_MS,
  type ServingMessage,
  type SupervisorNews,
} from "./protocol.ts";

/** Milliseconds after which processes that end together with the one that started them are gone. */
const END_TOGETHER_MS = 100;

process.once("message", ({ file, args, env, cwd, reportsWorkers, trace }: HostCommand) => {
  const atMs = monotonicMs();
  const channel = reportsWorkers ? (["ipc"] as const) : [];
  const server = spawn(file, args, {
    env,
    cwd,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "inherit", "inherit", ...channel],
  });
  const { pid } = server;
  const startTicks = pid === undefined ? Number.POSITIVE_INFINITY : startTicksOf(pid);
  let isStopping = false;
  /** The processes below the server when it was stopped: some may have left its process group. */
  let below: readonly number[] = [];
  const kill = () => {
    if (pid === undefined) {
      return;
    }
    for (const descendant of below) {
      sendSignal(descendant, "SIGKILL");
    }
    // Windows has no process groups; there the workers end when their channel to the primary closes.
    sendSignal(process.platform === "win32" ? pid : -pid, "SIGKILL");
    if (trace !== undefined) {
      endLeftBehind(pid, startTicks, trace);
    }
  };
  const stop = () => {
    isStopping = true;
    if (pid !== undefined) {
      below = processTree(pid).filter((descendant) => descendant !== pid);
    }
    server.kill("SIGTERM");
    setTimeout(kill, SERVER_GRACE_MS).unref();
  };
  const endWith = (ended: string) => sendNews({ ended }, () => process.exit(0));
  server.once("error", ({ message }) => endWith(message));
  server.once("spawn", () => sendNews({ started: pid ?? 0, atMs }));
  server.once("exit", async (code, signal) => {
    let ended = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    if (code === 0 && pid !== undefined && trace !== undefined && !isStopping) {
      await delay(END_TOGETHER_MS);
      const left = findLeftBehind(pid, startTicks, trace);
      if (left.length > 0) {
        ended = `${LEFT_FOREGROUND} (it ended with exit code 0, and pid ${left[0]} went on)`;
      }
    }
    // Workers that lost their primary must not go on.
    kill();
    endWith(ended);
  });
  server.on("message", (message: ServingMessage) => sendNews(message));
  process.on("disconnect", stop);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, stop);
  }
});

/** Sends news to the parent. @param then is called when they are sent, or nobody is there to take them. */
function sendNews(news: SupervisorNews, then: () => void = () => {}): void {
  if (process.connected) {
    process.send?.(news, undefined, undefined, then);
  } else {
    then();
  }
}
