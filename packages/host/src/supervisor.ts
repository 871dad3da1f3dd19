// Runs the command that its parent names, and outlives the parent just long enough to end it.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { boundLog } from "./bound-log.ts";
import { findMarked, markOf } from "./mark.ts";
import { sendSignal } from "./process-tree.ts";
import {
  type CommandEnd,
  type HostCommand,
  monotonicMs,
  NOT_STARTED,
  type ServingMessage,
  type SupervisorNews,
  type SupervisorOrder,
} from "./protocol.ts";

/** Milliseconds after which processes that end together with the one that started them are gone. */
const END_TOGETHER_MS = 100;
/** Milliseconds between two looks at what still runs. */
const LOOK_EVERY_MS = 50;
/** Milliseconds within which a killed process is gone, unless the system is stuck. */
const KILLED_WITHIN_MS = 1000;

process.once("message", (order: SupervisorOrder) => {
  if ("stop" in order) {
    process.exit(0);
  }
  const { command, graceMs, logFile } = order;
  const { file, args, env, cwd, reportsWorkers = false } = command;
  // A shell may be unable to set the mark. This process's own is then somebody else's, or none.
  const mark = order.mark === markOf("self") ? order.mark : null;
  const atMs = monotonicMs();
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      env,
      cwd,
      detached: true,
      windowsHide: true,
      stdio: ["inherit", "inherit", "inherit", ...(reportsWorkers ? (["ipc"] as const) : [])],
    });
  } catch (error) {
    sendNews({ ended: { ...NOT_STARTED, error: whyNotStarted(error, env) } }, () => process.exit(0));
    return;
  }
  const { pid } = child;
  /** Lists what runs: by the mark, else the group as a whole. Windows has neither. */
  const running = (): readonly number[] => {
    if (pid === undefined) {
      return [];
    }
    if (mark !== null) {
      return findMarked(mark);
    }
    const head = process.platform === "win32" ? pid : -pid;
    return sendSignal(head, 0) ? [head] : [];
  };
  const log = logFile === null ? null : boundLog(logFile, (logged) => sendNews({ logged }));
  let stopping: Promise<readonly number[]> | null = null;
  const stop = (): void => {
    stopping ??= endAll(running, graceMs);
  };
  const endWith = (end: CommandEnd): void => {
    log?.close();
    sendNews({ ended: end }, () => process.exit(0));
  };
  child.once("error", ({ message }) => endWith({ ...NOT_STARTED, error: message }));
  child.once("spawn", () => sendNews({ started: pid ?? 0, atMs }));
  child.once("exit", async (code, signal) => {
    let wentOn: number | null = null;
    if (code === 0 && stopping === null && running().length > 0) {
      await delay(END_TOGETHER_MS);
      wentOn = running()[0] ?? null;
    }
    // What is being stopped has its time. What lost the process that started it must not go on.
    const left = await (stopping ?? endAll(running, 0));
    endWith({ code, signal, error: null, wentOn, left });
  });
  child.on("message", (message: ServingMessage) => sendNews(message));
  process.on("message", stop);
  process.on("disconnect", stop);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, stop);
  }
});

/** Says why a program cannot be started, without a full stop; of variables the names alone. */
function whyNotStarted(error: unknown, env: HostCommand["env"]): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "E2BIG") {
    return message;
  }
  const sizes = Object.entries(env).map(([name, value]) => ({ name, bytes: Buffer.byteLength(value) }));
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  return `its arguments and variables are longer than the system takes (E2BIG). The longest variable is ${largest?.name}, with ${largest?.bytes} bytes: shorten it, or leave it out`;
}

/**
 * Ends processes: by SIGTERM, and after `graceMs` by SIGKILL, also those that they start meanwhile.
 *
 * @param running lists those that still run. A negative number is a process group.
 * @returns those that could not be ended.
 */
async function endAll(running: () => readonly number[], graceMs: number): Promise<readonly number[]> {
  let left = running();
  for (const [signal, withinMs] of [
    ["SIGTERM", graceMs],
    ["SIGKILL", KILLED_WITHIN_MS],
  ] as const) {
    const until = performance.now() + withinMs;
    const signalled = new Set<number>();
    while (left.length > 0 && performance.now() < until) {
      for (const pid of left) {
        if (!signalled.has(pid)) {
          sendSignal(pid, signal);
        }
        signalled.add(pid);
      }
      await delay(LOOK_EVERY_MS);
      left = running();
    }
  }
  return left;
}

/** Sends news to the parent. @param then is called when they are sent, or nobody is there to take them. */
function sendNews(news: SupervisorNews, then: () => void = () => {}): void {
  if (process.connected) {
    process.send?.(news, undefined, undefined, then);
  } else {
    then();
  }
}
