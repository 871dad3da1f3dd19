import { existsSync } from "node:fs";
import { UserError } from "@evenbench/core";
import { bareEnvironment, type EndedProgram, runProgram } from "@evenbench/host";
import { findProgram } from "@evenbench/host/services";
import { cachedK6, K6_VERSION } from "../../get-k6.mjs";

/** The message where k6 is missing, with where to get it and how to name it. */
export const HOW_TO_GET_K6 = `k6 is not installed. Get it at https://grafana.com/docs/k6/latest/set-up/install-k6/ (tried: ${K6_VERSION}) and name it by K6=<path>; or with Go installed build it: node packages/load/get-k6.mjs`;

/**
 * Finds the program of k6: the one that the variable K6 names, else that of PATH, else the one that `get-k6.mjs`
 * built.
 *
 * @returns its path; null where there is none.
 * @throws {UserError} where K6 names no program.
 */
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

/** A start of k6 on this machine. */
export interface K6Start {
  /** Path of the program. */
  readonly k6: string;
  /** Path of the script. */
  readonly script: string;
  /** Arguments beside `K6_ARGUMENTS`. */
  readonly args: readonly string[];
  /** Variables that the script sees. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the file that takes its standard error, on which the script writes its lines. */
  readonly log: string;
  /** Ends k6 when it aborts. */
  readonly signal: AbortSignal | undefined;
}

/** Arguments of every start of k6: its log is lines alone, and it listens on no port. */
export const K6_ARGUMENTS: readonly string[] = ["run", "--quiet", "--log-format=raw", "--address="];

/** Variables that k6 needs wherever it runs. @param vantage name of the place that its log gets. */
export function clientEnvironment(vantage: string): Readonly<Record<string, string>> {
  return {
    EVENBENCH_VANTAGE: vantage,
    // HTTP/1.1, as runs from one machine have it: the script cannot ask for it.
    GODEBUG: "http2client=0",
    K6_NO_USAGE_REPORT: "true",
  };
}

/**
 * Starts k6 on this machine and waits for its end. A script reads its whole environment as `__ENV`, and
 * variables such as K6_DURATION take the place of what the script says: so it gets what `env` has, and of the
 * caller's own almost nothing.
 *
 * @param started is called with its process id.
 */
export function runK6(
  { k6, script, args, env, log, signal }: K6Start,
  started: (pid: number) => void = () => {},
): Promise<EndedProgram> {
  return runProgram({
    log,
    signal,
    onStart: started,
    command: [k6, ...K6_ARGUMENTS, ...args, script],
    env: bareEnvironment(env),
  });
}
