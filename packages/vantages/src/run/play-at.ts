import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { LOGS_FOLDER } from "../protocol/plan.ts";
import type { Place } from "./at.ts";
import { clientEnvironment, K6_ARGUMENTS, remoteCommand } from "./client-command.ts";
import type { ClientTerms, Playable } from "./playable.ts";
import { runToEnd } from "./spawn-client.ts";

/** What a vantage is given to play. */
export interface Played {
  readonly playable: Playable;
  readonly terms: ClientTerms;
  readonly token: string | null;
  /** k6 of this machine; null where no vantage is here. */
  readonly k6: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Never asks: nobody may be at the keyboard. Keeps a connection that routers forget when it is silent. */
const SSH_OPTIONS = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=15"];

/**
 * Plays the plan at one vantage, to its end.
 *
 * @throws {UserError} when k6 or ssh cannot be started, or fail without a log.
 */
export async function playAt(place: Place, played: Played): Promise<string> {
  const log = join(played.playable.folder, LOGS_FOLDER, `${place.vantage}.log`);
  if (place.destination === null) await playHere(place, played, log);
  else await playThere(place.vantage, place.destination, played, log);
  return log;
}

async function playHere(
  { vantage }: Place,
  { playable: { folder, script }, terms, token, k6, signal }: Played,
  log: string,
): Promise<void> {
  await runToEnd({
    file: k6 ?? "k6",
    args: [...K6_ARGUMENTS, ...(terms.args ?? []), join(folder, script)],
    env: {
      ...clientEnvironment(vantage),
      ...terms.env,
      ...(token === null ? {} : { EVENBENCH_TOKEN: token }),
    },
    log,
    signal,
  });
}

/** Sends the script, plays it, fetches the log, and removes both over there. */
async function playThere(
  vantage: string,
  destination: string,
  { playable, terms, token, signal }: Played,
  log: string,
): Promise<void> {
  const there = `evenbench-${playable.hash.slice(0, 8)}-${vantage}`;
  const [script, remoteLog] = [`${there}.js`, `${there}.log`];
  const here = join(playable.folder, playable.script);
  await call("scp", [...SSH_OPTIONS, "-q", "--", here, `${destination}:${script}`], signal);
  const { code, said } = await runToEnd({
    file: "ssh",
    args: [...SSH_OPTIONS, "--", destination, remoteCommand({ vantage, script, log: remoteLog, terms })],
    input: `${token ?? ""}\n`,
    signal,
  });
  // 127: the shell over there found no k6. ssh's own failures are 255.
  if (code === 127)
    throw new UserError(`${destination} has no k6 on its PATH, and K6 names none there. ${said}`);
  if (code === 255) throw new UserError(`ssh ${destination} failed: ${said.trim()}`);
  await call("scp", [...SSH_OPTIONS, "-q", "--", `${destination}:${remoteLog}`, log]);
  await call("ssh", [...SSH_OPTIONS, "--", destination, `rm -f '${script}' '${remoteLog}'`]);
}

/** @throws {UserError} when it fails, with what it said. */
async function call(file: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const { code, said } = await runToEnd({ file, args, signal });
  if (code !== 0) throw new UserError(`${file} ${args.at(-1)} failed: ${said.trim() || `exit code ${code}`}`);
}
