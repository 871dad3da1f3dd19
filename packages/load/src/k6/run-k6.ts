import { spawn } from "node:child_process";
import { UserError } from "@evenbench/core";
import { K6_ARGUMENTS } from "@evenbench/vantages";
import { type K6BeginLine, type K6Line, LINE_START } from "./lines.ts";

/** Of k6's own words, what a message shows. */
const KEPT_WORDS = 500;

export interface RunningK6 {
  readonly pid: number;
  /** The stage has begun: `performance.now()` at its start. Null where k6 ended without that. */
  readonly begun: Promise<number | null>;
  readonly ended: Promise<void>;
  lines(): readonly K6Line[];
  said(): string;
}

/**
 * Starts k6 with a script; an abort ends it.
 *
 * @throws {UserError} when it cannot be started.
 */
export async function startK6(file: string, script: string, signal: AbortSignal): Promise<RunningK6> {
  const child = spawn(file, [...K6_ARGUMENTS, script], {
    env: { ...ownEnvironment(), K6_NO_USAGE_REPORT: "true" },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
    killSignal: "SIGTERM",
  });
  // Kept as they come: taking lines apart would take time from what is measured.
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString();
  const begun = Promise.withResolvers<number | null>();
  let isBegun = false;
  child.stderr.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (isBegun) return;
    const line = linesOf(text()).find((one): one is K6BeginLine => one.evenbench === "begin");
    if (line === undefined) return;
    isBegun = true;
    begun.resolve(performance.now() - (Date.now() - line.startedAt));
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => {
      if (!signal.aborted) reject(new UserError(`${file} could not be started: ${error.message}`));
    });
  });
  failed.catch(() => {});
  void ended.then(() => begun.resolve(null));
  await Promise.race([new Promise<void>((resolve) => child.once("spawn", resolve)), failed, ended]);
  return {
    pid: child.pid ?? 0,
    begun: begun.promise,
    ended,
    lines: () => linesOf(text()),
    said: () => wordsOf(text()).slice(-KEPT_WORDS),
  };
}

/** Variables such as K6_DURATION would take the place of what the script says. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("K6_")));
}

/** Only whole lines. */
function linesOf(text: string): readonly K6Line[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line.startsWith(LINE_START)).map((line) => JSON.parse(line) as K6Line);
}

function wordsOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(LINE_START))
    .join(" ");
}
