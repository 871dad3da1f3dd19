import { lstat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord, TOKEN_VARIABLE, UsageError, UserError } from "@evenbench/core";
import { codeOf, systemReason } from "@evenbench/core/user-file";
import { type EndedProgram, runProgram, scratchFolder } from "@evenbench/host";
import {
  clientEnvironment,
  findK6,
  HOW_TO_GET_K6,
  K6_ARGUMENTS,
  type K6Start,
  readLogs,
  runK6,
  VANTAGE_NAME,
} from "@evenbench/load/k6";
import { counted } from "@evenbench/page";
import { makeResultsFolder, readRegular } from "@evenbench/results";
import { bundlePlan } from "./bundle-plan.ts";
import { LOGS_FOLDER, SCRIPT_FILES } from "./plan.ts";
import type { ReadPlan } from "./read-plan.ts";

/** The machine of a vantage's client. */
export interface VantageMachine {
  /** The name of the vantage. */
  readonly vantage: string;
  /** The machine as ssh takes it, such as "me@vm1"; null for this machine. */
  readonly destination: string | null;
}

/**
 * A place as it is typed, such as "eu=ssh:me@vm1". A user or machine that begins with "-" would be an option to ssh;
 * other characters would be words to a shell.
 */
const PLACE = /^([^=]*)=(?:local|ssh:((?:\w[\w.+-]*@)?[\w[:][\w.:%[\]-]*))$/;

/** Reads places as they are typed. @throws {UsageError} for other words, and where two have one name. */
export function parsePlaces(words: readonly string[]): readonly VantageMachine[] {
  const places = words.map((word) => {
    const [, vantage = "", destination = null] = PLACE.exec(word) ?? [];
    if (VANTAGE_NAME.test(vantage)) {
      return { vantage, destination };
    }
    throw new UsageError(
      `"${word}" is not a vantage. Write name=ssh:user@machine or name=local, with a name of lower-case letters, digits and hyphens, such as eu=ssh:me@vm1.`,
    );
  });
  const names = places.map(({ vantage }) => vantage);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`Two vantages are named "${twice}". Give each its own name.`);
  }
  return places;
}

/** The end of one vantage's client. */
export interface VantageOutcome {
  readonly vantage: string;
  /** The path of its log. */
  readonly log: string;
  /** Number of exchanges that the log has. */
  readonly exchanges: number;
  /** The reason why the log is incomplete; null where it is whole. */
  readonly problem: string | null;
}

/** The terms of playing a plan. */
export interface RunVantagesOptions {
  readonly read: ReadPlan;
  /** The places of its clients, in the order in which they play. */
  readonly places: readonly VantageMachine[];
  /** The token of the plan's closed targets, whose hosts the caller has checked; null where none is closed. */
  readonly token: string | null;
  /** True where all play at the same time, and queue behind each other in one instance. Parts of a load always do. */
  readonly together: boolean;
  readonly signal?: AbortSignal;
  /** Is called when the client of a place is started. */
  onStart?(place: VantageMachine): void;
  /** Is called when it has ended. */
  onEnd?(outcome: VantageOutcome): void;
}

/**
 * Plays a plan on all places, by a script that is made anew from the plan.
 *
 * @returns the end of each client, in the order of the places; those after an abort are left out.
 * @throws {UserError} before anything is sent: without k6 or a token, or where the script in the folder is not that
 * of the plan.
 */
export async function runVantages(options: RunVantagesOptions): Promise<readonly VantageOutcome[]> {
  const { read, places } = options;
  const { plan, folder } = read;
  if (plan.closed.length > 0 && options.token === null) {
    throw new UserError(`${plan.closed.join(", ")} serve only callers with their token, and none is given.`);
  }
  const k6 = await findK6();
  if (k6 === null && places.some(({ destination }) => destination === null)) {
    throw new UserError(HOW_TO_GET_K6);
  }
  const program = await scriptOf(read);
  await makeResultsFolder(join(folder, LOGS_FOLDER));
  await using scratch = await scratchFolder("vantages");
  const script = join(scratch.path, SCRIPT_FILES[plan.kind]);
  await writeFile(script, program);
  return await playAll(options, { k6: k6 ?? "k6", script, program });
}

/**
 * Makes the script of a plan. The one in the folder is never run: a plan may come from a stranger.
 *
 * @throws {UserError} where the one in the folder differs.
 */
async function scriptOf({ folder, plan }: ReadPlan): Promise<string> {
  const file = join(folder, SCRIPT_FILES[plan.kind]);
  const script = await bundlePlan(plan);
  const found = await readRegular(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") {
      return script;
    }
    throw new UserError(`${file} cannot be read (${systemReason(error)}). Nothing was sent.`);
  });
  if (found === script) {
    return script;
  }
  throw new UserError(
    `${file} is not what plan.json stands for: one of them was changed, or another version of Evenbench wrote them. Nothing was sent. Make the plan again with \`vantages plan\`; or, to play plan.json as it is, remove ${SCRIPT_FILES[plan.kind]}.`,
  );
}

/** The program that all clients of a plan start. */
interface Playable {
  /** Path of k6 on this machine. */
  readonly k6: string;
  /** Path of the script on this machine. */
  readonly script: string;
  /** The script's text, for other machines. */
  readonly program: string;
}

/** Plays a plan on all places: one after the other, or all at once. */
async function playAll(options: RunVantagesOptions, playable: Playable): Promise<readonly VantageOutcome[]> {
  const { read, places, together, signal } = options;
  const { plan, folder } = read;
  const token = plan.closed.length > 0 ? options.token : null;
  const parts = plan.kind === "rate" ? loadSharesOf(places, plan.machines) : [];
  const clients = places.map((place, index): Client => {
    const { args = [], env } = parts[index] ?? {};
    const log = join(folder, LOGS_FOLDER, `${place.vantage}.log`);
    const variables = { ...clientEnvironment(place.vantage), ...env };
    return { ...place, ...playable, args, env: variables, log, signal, token };
  });
  for (const client of clients) {
    await makeRoomFor(client);
  }
  const play = async (client: Client) => {
    options.onStart?.(client);
    const outcome = await playClient(client);
    options.onEnd?.(outcome);
    return outcome;
  };
  if (together || plan.kind === "rate") {
    return Promise.all(clients.map(play));
  }
  const outcomes: VantageOutcome[] = [];
  for (const client of clients) {
    if (!signal?.aborted) {
      outcomes.push(await play(client));
    }
  }
  return outcomes;
}

/** Checks that a log may be written. One that is not whole is played again in its place; one that is was paid for. */
async function makeRoomFor({ vantage, log }: Pick<Client, "vantage" | "log">): Promise<void> {
  const found = await lstat(log).catch(() => null);
  if (found === null) {
    return;
  }
  // It would be written through a link, into whatever file that leads to.
  if (!found.isFile()) {
    throw new UserError(`${log} is not a regular file, and takes no log. Remove it.`);
  }
  if ((await verifyLog(log)).problem !== null) {
    return;
  }
  throw new UserError(
    `${vantage} has played this plan already: ${log} is whole. Move it away, or give this vantage another name.`,
  );
}

/** The client of a place. */
interface Client extends VantageMachine, K6Start {
  /** The script's text, for another machine. */
  readonly program: string;
  /** The token; null where no target of the plan is closed. */
  readonly token: string | null;
}

/** Milliseconds until all machines have k6 up: ssh copies the script first. */
const LEAD_MS = { here: 4000, elsewhere: 30_000 };

/** Divides a load among machines, which start at one moment, each with an equal part. */
function loadSharesOf(
  places: readonly VantageMachine[],
  machines: number,
): readonly Pick<Client, "args" | "env">[] {
  const { length } = places;
  if (length !== machines) {
    throw new UserError(
      `The plan's load is divided among ${counted(machines, "machine")}, and ${length} ${length === 1 ? "is" : "are"} named. Name ${machines} with --at, or plan for --machines ${length}.`,
    );
  }
  const isHere = places.every(({ destination }) => destination === null);
  const env = { EVENBENCH_START_AT: String(Date.now() + (isHere ? LEAD_MS.here : LEAD_MS.elsewhere)) };
  const edges = Array.from({ length: machines + 1 }, (_, edge) => `${edge}/${machines}`);
  const sequence = `--execution-segment-sequence=${edges.join(",")}`;
  return places.map((_, index) => {
    return { env, args: [`--execution-segment=${edges[index]}:${edges[index + 1]}`, sequence] };
  });
}

/** Plays a plan on one place. */
async function playClient(client: Client): Promise<VantageOutcome> {
  const { vantage, destination, log } = client;
  const { code, failure } = await (destination === null ? playHere(client) : playThere(client, destination));
  const { lastWords, exchanges, problem } = await verifyLog(log, failure);
  // 127: the shell over there found no k6. ssh's own failures are 255.
  const ofShell: Record<number, string> = {
    127: `${destination} has no k6 on its PATH, and K6 names none there. ${lastWords}`,
    255: `ssh ${destination} failed: ${lastWords}`,
  };
  const there = destination === null ? undefined : ofShell[code ?? 0];
  return { vantage, log, exchanges, problem: there ?? problem };
}

/** A log that was read for its client's end. */
interface VerifiedLog extends Pick<VantageOutcome, "exchanges" | "problem"> {
  /** The last line that is none of the client's own; empty where there is none. */
  readonly lastWords: string;
}

/** Reads how a client ended from its log: k6's exit code is 0 although nothing was sent. */
async function verifyLog(log: string, failure: string | null = null): Promise<VerifiedLog> {
  const { lastWords, clients } = await readLogs([log]);
  const [client] = clients;
  const exchanges = client?.lines.length ?? 0;
  if (client?.end == null) {
    const why = lastWords || failure || "";
    return { exchanges, problem: `it did not come to its end${why === "" ? "" : `: ${why}`}`, lastWords };
  }
  return { exchanges, problem: client.lacks === null ? null : `it ${client.lacks}`, lastWords };
}

/** Plays on this machine. */
function playHere(client: Client): Promise<EndedProgram> {
  const env = client.token === null ? client.env : { ...client.env, [TOKEN_VARIABLE]: client.token };
  return runK6({ ...client, env });
}

/**
 * Options of ssh: it never asks, since nobody may be at the keyboard, and keeps a connection that routers would
 * forget when it is silent.
 */
const SSH_OPTIONS = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=15"];

/** Plays on another machine, over ssh. */
function playThere(client: Client, destination: string): Promise<EndedProgram> {
  const { program, token, args, env, log, signal } = client;
  const command = remoteCommand(Buffer.byteLength(program), args, env);
  return runProgram({
    command: ["ssh", ...SSH_OPTIONS, "--", destination, command],
    input: `${token ?? ""}\n${program}`,
    holdsInput: true,
    log,
    signal,
  });
}

/**
 * Writes the command for the shell of another machine: with PATH, HOME and K6 of its environment, since scripts of k6
 * read all of it. The token comes by standard input, so that no list of processes shows it, and the script after it;
 * the log is sent afterwards, to keep the network to what is measured.
 */
function remoteCommand(bytes: number, args: Client["args"], env: Client["env"]): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const inside = [
    "IFS= read -r EVENBENCH_TOKEN",
    `export EVENBENCH_TOKEN ${variables.join(" ")}`,
    'folder=$(mktemp -d "$PWD/evenbench-XXXXXX") || exit 1',
    `trap 'rm -rf "$folder"' EXIT`,
    `head -c ${bytes} >"$folder/script.js"`,
    "exec 3<&0",
    `{ "\${K6:-k6}" ${[...K6_ARGUMENTS, ...args].map(shellWord).join(" ")} "$folder/script.js" >/dev/null 2>"$folder/log" & k6=$!; }`,
    `{ (cat <&3 >/dev/null; kill "$k6" 2>/dev/null) & watch=$!; }`,
    `wait "$k6"; code=$?`,
    `kill "$watch" 2>/dev/null`,
    'cat "$folder/log" >&2',
    "exit $code",
  ];
  // One line: a word with a line's end in it is not the same word to all shells.
  const words = ["PATH", "HOME", "K6"].map((name) => `${name}="$${name}"`);
  return `exec env -i ${words.join(" ")} sh -c ${shellWord(inside.join("; "))}`;
}
