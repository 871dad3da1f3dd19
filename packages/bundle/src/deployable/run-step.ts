import { spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";
import type { BuildStep } from "@evenbench/core";
import { endTree, readGroupMemory } from "@evenbench/host";

const SAMPLE_EVERY_MS = 100;
const LINES_KEPT = 40;

export interface StepOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class StepFailed extends Error {
  override readonly name: string = "StepFailed";
  readonly step: string;
  readonly lastLines: readonly string[];

  constructor(step: string, how: string, lastLines: readonly string[]) {
    super(`${step} ${how}:\n${lastLines.join("\n")}`);
    this.step = step;
    this.lastLines = lastLines;
  }
}

export async function runStep(
  name: string,
  command: readonly [file: string, ...args: string[]],
  logFile: string | null,
  { cwd, env = {} }: StepOptions,
): Promise<BuildStep> {
  const [file, ...args] = command;
  const begun = performance.now();
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  using _watched = child.pid === undefined ? null : endWithThis(child.pid);
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  let peakResidentBytes: number | null = null;
  const sampling = setInterval(() => {
    const bytes = child.pid === undefined ? null : readGroupMemory(child.pid);
    if (bytes !== null) peakResidentBytes = Math.max(peakResidentBytes ?? 0, bytes);
  }, SAMPLE_EVERY_MS);
  const how = await new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? null : `ended with ${signal === null ? `exit code ${code}` : signal}`);
    });
  });
  clearInterval(sampling);
  const text = Buffer.concat(output).toString();
  if (logFile !== null) await appendFile(logFile, `$ ${name}\n${text}\n`);
  if (how !== null) throw new StepFailed(name, how, text.trimEnd().split("\n").slice(-LINES_KEPT));
  return { name, ms: performance.now() - begun, peakResidentBytes };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Heads of process groups: a terminal's Ctrl-C does not reach them by itself. */
const running = new Set<number>();

function endWithThis(pid: number): Disposable {
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
    } catch {}
  }
}
