import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readMemory } from "@evenbench/host";

const POLL_MS = 200;

/** Runs Node.js with these arguments, and looks at its memory as it goes. */
export async function watch(
  what: string,
  args: readonly string[],
): Promise<{ elapsedMs: number; peakMiB: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(child, "exit");
  let peakBytes = 0;
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child));
  }, POLL_MS);
  const [code] = await exited;
  clearInterval(look);
  if (code !== 0) throw new Error(`${what} ended with ${code}.`);
  return { elapsedMs: performance.now() - startedAt, peakMiB: Math.round(peakBytes / 2 ** 20) };
}

const peakOf = (child: ChildProcess) => readMemory(child.pid ?? 0)?.peakBytes ?? 0;
export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
