import { existsSync } from "node:fs";
import { UserError } from "@evenbench/core";
import { runProgram } from "@evenbench/host";
import { findProgram } from "@evenbench/host/services";
import { cachedK6, K6_VERSION } from "../../get-k6.mjs";

export const HOW_TO_GET_K6 = `k6 is not installed. Get it at https://grafana.com/docs/k6/latest/set-up/install-k6/ (tried: ${K6_VERSION}) and name it by K6=<path>; or with Go installed build it: node packages/load/get-k6.mjs`;

export async function findK6(): Promise<string | null> {
  const named = process.env.K6;
  if (named) {
    const path = await findProgram(named);
    if (path !== null) {
      return path;
    }
    throw new UserError(`K6 is "${named}", and no program is there. Set it to the path of k6, or unset it.`);
  }
  const built = cachedK6();
  return (await findProgram("k6")) ?? (existsSync(built) ? built : null);
}

/** How k6 is started; the log is its standard error. */
export interface K6Start {
  readonly k6: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  readonly signal: AbortSignal | undefined;
}

/** What k6 is given before the script: its log is lines alone, and nothing is asked of it from outside. */
export const K6_ARGUMENTS = ["run", "--quiet", "--log-format=raw", "--address="];

export function clientEnvironment(vantage: string): Readonly<Record<string, string>> {
  return {
    EVENBENCH_VANTAGE: vantage,
    // HTTP/1.1, as runs from one machine have it: the script cannot ask for it.
    GODEBUG: "http2client=0",
    K6_NO_USAGE_REPORT: "true",
  };
}

/** What a process needs to run at all. */
const KEPT = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA"];

/**
 * Starts k6 on this machine and waits for its end. A script reads its whole environment as `__ENV`, and variables such as
 * K6_DURATION take the place of what the script says: so it gets what `env` has, and of the caller's own almost nothing.
 */
export function runK6(
  { k6, script, args, env, log, signal }: K6Start,
  started: (pid: number) => void = () => {},
  withinMs?: number,
): ReturnType<typeof runProgram> {
  const removed = Object.keys(process.env).filter((name) => !KEPT.includes(name.toUpperCase()));
  return runProgram({
    log,
    signal,
    started,
    withinMs,
    command: [k6, ...K6_ARGUMENTS, ...args, script],
    env: { ...Object.fromEntries(removed.map((name) => [name, undefined])), ...env },
  });
}
