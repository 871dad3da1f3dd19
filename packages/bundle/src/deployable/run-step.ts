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
  readonly lastLines: readonly string[];

  constructor(step: string, how: string, lastLines: readonly string[]) {
    super(`${step} ${how}:\n${lastLines.join("\n")}`);
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

/** The head of a process group, which a terminal's Ctrl-C does not reach by itself. */
function endWithThis(pid: number): Disposable {
  // The command fails then, and this process ends by that.
  const end = () => void endTree(pid);
  const kill = () => {
    try {
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {}
  };
  for (const signal of SIGNALS) process.on(signal, end);
  process.on("exit", kill);
  return {
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, end);
      process.off("exit", kill);
    },
  };
}
