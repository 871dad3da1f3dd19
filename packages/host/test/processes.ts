import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { TYPE_STRIPPING } from "../src/index.ts";

const PARENT = fileURLToPath(new URL("parent.ts", import.meta.url));

/** How the process that started a host can end. */
export const ENDINGS = ["SIGKILL", "SIGINT to its group", "uncaught exception", "process.exit"] as const;

/**
 * Starts a host from a process of its own and ends that process in the given way.
 *
 * @returns every process below it just before: supervisor, server, workers; and those that the host said serve.
 */
export async function endParentOf(
  platformFile: string,
  deployable: string,
  logFile: string,
  ending: (typeof ENDINGS)[number],
) {
  const how = ending === "uncaught exception" ? "throw" : ending === "process.exit" ? "exit" : "wait";
  const args = [...TYPE_STRIPPING, PARENT, platformFile, deployable, logFile, how];
  const parent = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  try {
    const [line = ""] = await once(createInterface({ input: parent.stdout }), "line");
    const { pids } = JSON.parse(line);
    const below = descendants(parent.pid ?? 0);
    const ended = once(parent, "exit");
    if (ending === "SIGKILL") parent.kill("SIGKILL");
    else if (ending === "SIGINT to its group") process.kill(-(parent.pid ?? 0), "SIGINT");
    else parent.stdin?.write("now\n");
    await ended;
    return { below, serving: pids as readonly number[] };
  } finally {
    parent.kill("SIGKILL");
  }
}

/** The pids of all processes below one, by the system's own list. */
export function descendants(ancestor: number): number[] {
  const { stdout, pid: own } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = stdout.trim().split("\n");
  const parentOf = new Map(rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]));
  const isBelow = (pid: number): boolean => {
    const parent = parentOf.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...parentOf.keys()].filter((pid) => pid !== own && isBelow(pid));
}

/** To all of a process group that is left; to none, where the system has collected its last process already. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return !/^State:\s*[ZX]/m.test(status) && Number(/^Tgid:\s*(\d+)/m.exec(status)?.[1]) === pid;
  } catch {
    return false;
  }
}

/** Waits until none of them runs; gives those that still do after `withinMs`. */
export async function stillRunning(pids: readonly number[], withinMs = 60_000): Promise<number[]> {
  const until = Date.now() + withinMs;
  let running = pids.filter(isRunning);
  while (running.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    running = running.filter(isRunning);
  }
  return running;
}
