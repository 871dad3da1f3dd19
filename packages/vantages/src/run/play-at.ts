import { type StdioOptions, spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { LOGS_FOLDER } from "../protocol/plan.ts";
import type { Place } from "./at.ts";

export interface Played {
  readonly playable: Playable;
  readonly terms: ClientTerms;
  readonly token: string | null;
  readonly k6: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Never asks: nobody may be at the keyboard. Keeps a connection that routers forget when it is silent. */
const SSH_OPTIONS = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=15"];

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

async function call(file: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const { code, said } = await runToEnd({ file, args, signal });
  if (code !== 0) throw new UserError(`${file} ${args.at(-1)} failed: ${said.trim() || `exit code ${code}`}`);
}

/** What k6 is started with, wherever that is; the log is its standard error. */
export const K6_ARGUMENTS = ["run", "--quiet", "--log-format=raw", "--address="];

export function clientEnvironment(vantage: string): Readonly<Record<string, string>> {
  return {
    EVENBENCH_VANTAGE: vantage,
    // HTTP/1.1, as runs from one machine have it: the script cannot ask for it.
    GODEBUG: "http2client=0",
    K6_NO_USAGE_REPORT: "true",
  };
}

interface RemoteClient {
  readonly vantage: string;
  readonly script: string;
  readonly log: string;
  readonly terms: ClientTerms;
}

/**
 * What the shell of another machine runs. The token comes by standard input, so that no list of processes
 * shows it; the log is fetched afterwards, to keep the network to what is measured.
 */
function remoteCommand({ vantage, script, log, terms }: RemoteClient): string {
  const variables = Object.entries({ ...clientEnvironment(vantage), ...terms.env }).map(
    ([name, value]) => `${name}=${quoted(value)}`,
  );
  const k6 = [...K6_ARGUMENTS, ...(terms.args ?? []), script].map(quoted).join(" ");
  return [
    "IFS= read -r EVENBENCH_TOKEN",
    "export EVENBENCH_TOKEN",
    `export ${variables.join(" ")}`,
    "exec 3<&0",
    `"\${K6:-k6}" ${k6} >/dev/null 2>${quoted(log)} & k6=$!`,
    `(cat <&3 >/dev/null; kill "$k6" 2>/dev/null) & watch=$!`,
    `wait "$k6"; code=$?`,
    `kill "$watch" 2>/dev/null`,
    "exit $code",
  ].join("\n");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

const KEPT_CHARACTERS = 2000;

export interface Call {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which stays open until it ends. */
  readonly input?: string;
  readonly log?: string;
  readonly signal?: AbortSignal | undefined;
}

export async function runToEnd(call: Call): Promise<{ readonly code: number | null; readonly said: string }> {
  const log = call.log === undefined ? null : await open(call.log, "w");
  try {
    return await spawned(call, log);
  } finally {
    await log?.close();
  }
}

function spawned({ file, args, env = {}, input, signal }: Call, log: FileHandle | null) {
  // One that was aborted before is not heard of again.
  if (signal?.aborted) throw new UserError(`${file} was not started any more.`);
  const stdio: StdioOptions = [
    input === undefined ? "ignore" : "pipe",
    "ignore",
    log === null ? "pipe" : log.fd,
  ];
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-KEPT_CHARACTERS);
  });
  // A program that ends without reading says by its exit code what was wrong.
  child.stdin?.once("error", () => {});
  child.stdin?.write(input ?? "");
  const end = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  return new Promise<{ code: number | null; said: string }>((resolve, reject) => {
    child.once("error", ({ message }) => reject(new UserError(`${file} could not be started: ${message}`)));
    child.once("close", (code) => resolve({ code, said }));
  }).finally(() => signal?.removeEventListener("abort", end));
}

export interface ClientTerms {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Playable {
  readonly folder: string;
  /** Hash of the plan: it names files on other machines. */
  readonly hash: string;
  readonly script: string;
  readonly closed: readonly string[];
  /** For each place, in their order. Called when all are about to begin. */
  termsFor(places: readonly Place[]): readonly ClientTerms[];
  /** How a log ended. `problem`: why it is not whole, or null. */
  judge(log: string): Promise<{ readonly exchanges: number; readonly problem: string | null }>;
}
