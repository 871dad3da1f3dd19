import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, TOKEN_VARIABLE, UserError } from "@evenbench/core";
import { findProgram } from "@evenbench/host/services";
import { counted } from "@evenbench/report/parts";
import { cachedK6, K6_VERSION } from "../get-k6.mjs";
import { type EndLine, vantageName } from "./lines.ts";
import { readLog } from "./logs.ts";
import { LOGS_FOLDER, type Plan, type ReadPlan, SCRIPT_FILES } from "./plan.ts";

export interface Place {
  readonly vantage: string;
  /** As ssh takes it, such as "me@vm1"; null for this machine. */
  readonly destination: string | null;
}

/** A destination that begins with "-" would be an option to ssh. */
const DESTINATION = /^[A-Za-z0-9_][\w.@:%[\]-]*$/;

export function parsePlaces(words: readonly string[]): readonly Place[] {
  const places = words.map(parsePlace);
  const names = places.map(({ vantage }) => vantage);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UserError(`Two vantages are named "${twice}". Give each its own name.`);
  return places;
}

function parsePlace(word: string): Place {
  const [, vantage = "", where = ""] = /^([^=]*)=(.*)$/.exec(word) ?? [];
  const destination = where.startsWith("ssh:") ? where.slice("ssh:".length) : null;
  const isKnown = where === "local" || (destination !== null && DESTINATION.test(destination));
  if (vantageName.safeParse(vantage).success && isKnown) return { vantage, destination };
  throw new UserError(
    `"${word}" is not a vantage. Write name=ssh:user@machine or name=local, with a name of lower-case letters, digits and hyphens, such as eu=ssh:me@vm1.`,
  );
}

export const HOW_TO_GET_K6 = `k6 is not installed. Get it at https://grafana.com/docs/k6/latest/set-up/install-k6/ (tried: ${K6_VERSION}) and name it by K6=<path>; or with Go installed build it: node packages/vantages/get-k6.mjs`;

export async function findK6(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const named = environment.K6;
  if (named !== undefined && named !== "") {
    const path = await findProgram(named);
    if (path !== null) return path;
    throw new UserError(`K6 is "${named}", and no program is there. Set it to the path of k6, or unset it.`);
  }
  const built = cachedK6();
  return (await findProgram("k6")) ?? (existsSync(built) ? built : null);
}

export interface VantageOutcome {
  readonly vantage: string;
  readonly log: string | null;
  readonly exchanges: number;
  readonly problem: string | null;
}

export interface RunVantagesOptions {
  readonly read: ReadPlan;
  readonly places: readonly Place[];
  /** All at the same time: they queue behind each other in one instance. The parts of a load always are. */
  readonly together: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  onStart?(place: Place): void;
  onEnd?(outcome: VantageOutcome): void;
}

/** Plays a plan at several vantages. One that fails does not keep the others from playing. */
export async function runVantages(options: RunVantagesOptions): Promise<readonly VantageOutcome[]> {
  const { read, places, environment, signal } = options;
  const { plan, folder } = read;
  const token = environment[TOKEN_VARIABLE] || null;
  if (plan.closed.length > 0 && token === null) {
    throw new UserError(
      `${plan.closed.join(", ")} serve only callers with their token, and ${TOKEN_VARIABLE} is not set. Set it; \`deploy\` keeps it in deployments.json.`,
    );
  }
  const k6 = await findK6(environment);
  if (k6 === null && places.some(({ destination }) => destination === null))
    throw new UserError(HOW_TO_GET_K6);
  await mkdir(join(folder, LOGS_FOLDER), { recursive: true });
  await refuseWholeLogs(read, places);
  const terms = termsFor(plan, places);
  const play = async (place: Place, index: number) => {
    options.onStart?.(place);
    const outcome = await outcomeAt(place, { read, terms: terms[index] ?? {}, token, k6, signal });
    options.onEnd?.(outcome);
    return outcome;
  };
  if (options.together || plan.kind === "rate") return Promise.all(places.map(play));
  const outcomes: VantageOutcome[] = [];
  for (const [index, place] of places.entries()) {
    if (signal?.aborted) break;
    outcomes.push(await play(place, index));
  }
  return outcomes;
}

/** What is not whole is played again in its place; what is whole was paid for. */
async function refuseWholeLogs({ folder, plan }: ReadPlan, places: readonly Place[]): Promise<void> {
  for (const { vantage } of places) {
    const log = join(folder, LOGS_FOLDER, `${vantage}.log`);
    if (!existsSync(log) || (await judge(log, plan)).problem !== null) continue;
    throw new UserError(
      `${vantage} has played this plan already: ${log} is whole. Move it away, or give this vantage another name.`,
    );
  }
}

/** Until all have k6 up, from when they are told to start: ssh copies the script first. */
const LEAD_MS = { here: 4000, elsewhere: 30_000 };

interface ClientTerms {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function termsFor(plan: Plan, places: readonly Place[]): readonly ClientTerms[] {
  if (plan.kind === "rounds") return places.map(() => ({}));
  const { machines } = plan;
  if (places.length !== machines) {
    throw new UserError(
      `The plan's load is divided among ${counted(machines, "machine")}, and ${places.length} ${places.length === 1 ? "is" : "are"} named. Name ${machines} with --at, or plan for --machines ${places.length}.`,
    );
  }
  const isHere = places.every(({ destination }) => destination === null);
  const env = { EVENBENCH_START_AT: String(Date.now() + (isHere ? LEAD_MS.here : LEAD_MS.elsewhere)) };
  if (machines === 1) return [{ env }];
  const edges = ["0", ...Array.from({ length: machines - 1 }, (_, edge) => `${edge + 1}/${machines}`), "1"];
  return places.map((_place, index) => ({
    args: [
      `--execution-segment=${edges[index]}:${edges[index + 1]}`,
      `--execution-segment-sequence=${edges.join(",")}`,
    ],
    env,
  }));
}

interface Played {
  readonly read: ReadPlan;
  readonly terms: ClientTerms;
  readonly token: string | null;
  readonly k6: string | null;
  readonly signal?: AbortSignal | undefined;
}

async function outcomeAt(place: Place, played: Played): Promise<VantageOutcome> {
  const { vantage, destination } = place;
  const { folder, plan } = played.read;
  const log = join(folder, LOGS_FOLDER, `${vantage}.log`);
  try {
    if (destination === null) await playHere(vantage, played, log);
    else await playThere(vantage, destination, played, log);
    return { vantage, log, ...(await judge(log, plan)) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { vantage, log: null, exchanges: 0, problem: messageOf(error) };
  }
}

/** How a client ended, by its log: k6's exit code is 0 although nothing was sent. */
async function judge(log: string, plan: Plan): Promise<Pick<VantageOutcome, "exchanges" | "problem">> {
  let [exchanges, said] = [0, ""];
  let end: EndLine | null = null as EndLine | null;
  await readLog(log, {
    take(line) {
      if (line.evenbench === "exchange" || line.evenbench === "request") exchanges += 1;
      if (line.evenbench === "end") end = line;
    },
    foreign(text) {
      if (text.trim() !== "") said = text.trim();
    },
  });
  if (end === null)
    return { exchanges, problem: `it did not come to its end${said === "" ? "" : `: ${said}`}` };
  if (end.stopped !== null) return { exchanges, problem: `it stopped: ${end.stopped}` };
  const expected =
    plan.kind === "rounds" ? plan.counts.exchanges : end.exchanges.reduce((sum, count) => sum + count, 0);
  const problem = exchanges === expected ? null : `its log has ${exchanges} requests of ${expected}`;
  return { exchanges, problem };
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

async function playHere(
  vantage: string,
  { read: { folder, plan }, terms, token, k6, signal }: Played,
  log: string,
): Promise<void> {
  await runToEnd({
    file: k6 ?? "k6",
    args: [...K6_ARGUMENTS, ...(terms.args ?? []), join(folder, SCRIPT_FILES[plan.kind])],
    env: {
      ...clientEnvironment(vantage),
      ...terms.env,
      ...(token === null ? {} : { EVENBENCH_TOKEN: token }),
    },
    log,
    signal,
  });
}

/** Never asks: nobody may be at the keyboard. Keeps a connection that routers forget when it is silent. */
const SSH_OPTIONS = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=15"];

async function playThere(
  vantage: string,
  destination: string,
  { read: { folder, plan, hash }, terms, token, signal }: Played,
  log: string,
): Promise<void> {
  const there = `evenbench-${hash.slice(0, 8)}-${vantage}`;
  const [script, remoteLog] = [`${there}.js`, `${there}.log`];
  const here = join(folder, SCRIPT_FILES[plan.kind]);
  await call("scp", [...SSH_OPTIONS, "-q", "--", here, `${destination}:${script}`], signal);
  const { code, said } = await runToEnd({
    file: "ssh",
    args: [...SSH_OPTIONS, "--", destination, remoteCommand(vantage, script, remoteLog, terms)],
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

/**
 * What the shell of another machine runs. The token comes by standard input, so that no list of processes
 * shows it; the log is fetched afterwards, to keep the network to what is measured.
 */
function remoteCommand(
  vantage: string,
  script: string,
  log: string,
  { args = [], env }: ClientTerms,
): string {
  const variables = Object.entries({ ...clientEnvironment(vantage), ...env }).map(
    ([name, value]) => `${name}=${quoted(value)}`,
  );
  const k6 = [...K6_ARGUMENTS, ...args, script].map(quoted).join(" ");
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

async function call(file: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  const { code, said } = await runToEnd({ file, args, signal });
  if (code !== 0) throw new UserError(`${file} ${args.at(-1)} failed: ${said.trim() || `exit code ${code}`}`);
}

const KEPT_CHARACTERS = 2000;

export interface Call {
  readonly file: string;
  readonly args: readonly string[];
  /** Beside this process's own variables, of which undefined takes one out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input, which stays open until it ends. */
  readonly input?: string;
  readonly log?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program; an abort ends it. `said`: the end of its standard error, where that goes into no file. */
export async function runToEnd(call: Call): Promise<{ readonly code: number | null; readonly said: string }> {
  const log = call.log === undefined ? null : await open(call.log, "w");
  let said = "";
  try {
    const { child, ended } = startProgram(call, log === null ? "pipe" : log.fd);
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-KEPT_CHARACTERS);
    });
    const code = await ended;
    return { code, said };
  } finally {
    await log?.close();
  }
}

/** Starts a program. `ended` rejects with a line for the user where it cannot be started. */
export function startProgram(
  { file, args, env = {}, input, signal }: Omit<Call, "log">,
  stderr: "pipe" | number,
): { readonly child: ChildProcess; readonly ended: Promise<number | null> } {
  // One that was aborted before is not heard of again.
  if (signal?.aborted) throw new UserError(`${file} was not started any more.`);
  const stdio: StdioOptions = [input === undefined ? "ignore" : "pipe", "ignore", stderr];
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio });
  // A program that ends without reading says by its exit code what was wrong.
  child.stdin?.once("error", () => {});
  child.stdin?.write(input ?? "");
  const end = () => child.kill("SIGTERM");
  signal?.addEventListener("abort", end, { once: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", ({ message }) => reject(new UserError(`${file} could not be started: ${message}`)));
    child.once("close", (code) => resolve(code));
  }).finally(() => signal?.removeEventListener("abort", end));
  return { child, ended };
}
