import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createProbe, type Probe } from "@evenbench/probe";
import { quantile } from "@evenbench/stats";
import { findK6 } from "@evenbench/vantages";
import autocannon from "autocannon";
import { row } from "../print.ts";
import { askWithK6, expectedBytes } from "./ask-with-k6.ts";
import type { KnownAnswer, ServerMessage, ServerStamps } from "./known-server.ts";

const ANSWER: KnownAnswer = { headersAfterMs: 5, lastByteAfterMs: 25, bodyBytes: 200_000 };
const TURNS = 4;
const WARMUP_EXCHANGES = 50;

/** One exchange as a client saw it: nanoseconds on the shared clock, and durations; NaN where the client cannot tell. */
interface Seen {
  readonly firstByteAt: number;
  readonly lastByteAt: number;
  readonly firstByteNs: number;
  readonly lastByteNs: number;
}

const UNSEEN: Seen = { firstByteAt: NaN, lastByteAt: NaN, firstByteNs: NaN, lastByteNs: NaN };

interface Turn {
  readonly seen: readonly Seen[];
  readonly stamps: readonly ServerStamps[];
  /** User and system, all threads. */
  readonly cpuMs: number;
}

interface Client {
  readonly name: string;
  takeTurn(exchanges: number): Promise<Turn>;
}

/** What a client saw, less what the server stamped just before the first byte and just after the last one. */
const ERRORS: readonly (readonly [string, (seen: Seen, stamps: ServerStamps) => number])[] = [
  [
    "first byte's arrival, median / p95",
    ({ firstByteAt }, { firstWrite }) => firstByteAt - Number(firstWrite),
  ],
  ["last byte's arrival", ({ lastByteAt }, { lastWrite }) => lastByteAt - Number(lastWrite)],
  [
    "duration to the first byte",
    ({ firstByteNs }, { firstWrite, requestRead }) => firstByteNs - Number(firstWrite - requestRead),
  ],
  [
    "duration to the last byte",
    ({ lastByteNs }, { lastWrite, requestRead }) => lastByteNs - Number(lastWrite - requestRead),
  ],
];

/** One connection each, in turns. An exchange that fails ends it: the numbers would mean nothing. */
export async function clientError(exchanges: number): Promise<void> {
  const server = fork(fileURLToPath(new URL("known-server.ts", import.meta.url)), [JSON.stringify(ANSWER)], {
    serialization: "advanced",
  });
  try {
    const url = await urlOf(server);
    const probe = createProbe(url);
    const k6 = await findK6();
    const clients = [
      inThisProcess("Probe", server, (count) => askWithProbe(probe, count)),
      inThisProcess("autocannon", server, (count) => askWithAutocannon(url, count)),
    ];
    for (const client of clients) await client.takeTurn(WARMUP_EXCHANGES);
    if (k6 !== null) clients.push(k6Client(server, k6, url));
    const each = Math.ceil(exchanges / TURNS);
    const turns = new Map(clients.map((client) => [client, [] as Turn[]]));
    for (let turn = 0; turn < TURNS; turn++)
      for (const [client, own] of turns) own.push(await client.takeTurn(each));
    await probe.close();
    row("Requests each, server's known last byte", `${each * TURNS}, ${ANSWER.lastByteAfterMs} ms`);
    for (const [{ name }, own] of turns) print(name, own);
    if (k6 === null) row("k6", "not installed");
  } finally {
    server.disconnect();
  }
}

function print(name: string, turns: readonly Turn[]): void {
  for (const [what, errorNs] of ERRORS) {
    const errors = turns.flatMap(({ seen, stamps }) =>
      seen.map((one, index) => errorNs(one, stamps[index] as ServerStamps) / 1000),
    );
    if (errors.some(Number.isNaN)) continue;
    const sorted = Float64Array.from(errors).sort();
    const [median, p95] = [0.5, 0.95].map((share) => quantile(sorted, share).toFixed(0));
    row(`${name}: error of the ${what}`, `${median} / ${p95} us`);
  }
  const exchanges = turns.reduce((sum, { seen }) => sum + seen.length, 0);
  const cpuMs = turns.reduce((sum, turn) => sum + turn.cpuMs, 0);
  row(`${name}: CPU for 1,000 requests`, `${((cpuMs / exchanges) * 1000).toFixed(0)} ms`);
}

function inThisProcess(
  name: string,
  server: ChildProcess,
  ask: (exchanges: number) => Promise<readonly Seen[]>,
): Client {
  return {
    name,
    async takeTurn(exchanges) {
      const before = process.cpuUsage();
      const seen = await ask(exchanges);
      const { user, system } = process.cpuUsage(before);
      return { seen, stamps: await stampsFor(server, seen), cpuMs: (user + system) / 1000 };
    },
  };
}

/** k6 is started anew for each turn. What its start costs is measured beside, by one request alone, and taken off. */
function k6Client(server: ChildProcess, k6: string, url: string): Client {
  return {
    name: "k6, its start taken off",
    async takeTurn(exchanges) {
      const start = await askWithK6(k6, url, ANSWER.bodyBytes, 1);
      await stampsFor(server, start.exchanges);
      const asked = await askWithK6(k6, url, ANSWER.bodyBytes, exchanges);
      const seen = asked.exchanges.map(({ firstByteMs, lastByteMs }) => ({
        ...UNSEEN,
        firstByteNs: (firstByteMs ?? NaN) * 1e6,
        lastByteNs: (lastByteMs ?? NaN) * 1e6,
      }));
      return { seen, stamps: await stampsFor(server, seen), cpuMs: asked.cpuMs - start.cpuMs };
    },
  };
}

/** The server's own stamps of what a client saw. */
async function stampsFor(server: ChildProcess, seen: readonly unknown[]): Promise<readonly ServerStamps[]> {
  server.send("stamps");
  const [message]: ServerMessage[] = await once(server, "message");
  const stamps = message !== undefined && "stamps" in message ? message.stamps : [];
  if (stamps.length !== seen.length)
    throw new Error(
      `The client saw ${seen.length} requests, the server ${stamps.length}. Run it again on a quieter machine.`,
    );
  return stamps;
}

async function askWithProbe(probe: Probe, exchanges: number): Promise<readonly Seen[]> {
  const expected = expectedBytes(ANSWER.bodyBytes);
  // performance.now() and process.hrtime read the same clock and differ by a constant.
  const zero = Number(process.hrtime.bigint()) - performance.now() * 1e6;
  const seen: Seen[] = [];
  for (let count = 0; count < exchanges; count++) {
    const { startedAt, firstByteMs, lastByteMs, error } = await probe.exchange("/", expected);
    if (error !== null || firstByteMs === null || lastByteMs === null)
      throw new Error(`A request of the probe failed: ${error?.detail}.`);
    seen.push({
      firstByteAt: zero + (startedAt + firstByteMs) * 1e6,
      lastByteAt: zero + (startedAt + lastByteMs) * 1e6,
      firstByteNs: firstByteMs * 1e6,
      lastByteNs: lastByteMs * 1e6,
    });
  }
  return seen;
}

async function askWithAutocannon(url: string, amount: number): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const options = { url, connections: 1, amount, headers: { "accept-encoding": "identity" } };
  const { errors, non2xx } = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on("response", (_client, _status, _bytes, responseTimeMs) => {
      seen.push({ ...UNSEEN, lastByteNs: responseTimeMs * 1e6 });
    });
  });
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests of autocannon failed.`);
  return seen;
}

async function urlOf(server: ChildProcess): Promise<string> {
  const [message]: ServerMessage[] = await once(server, "message");
  if (message === undefined || !("url" in message))
    throw new Error("The server with known delays did not start.");
  return message.url;
}
