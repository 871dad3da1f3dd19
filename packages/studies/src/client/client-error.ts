import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createProbe, type Expectation, type Probe } from "@evenbench/probe";
import { findK6 } from "@evenbench/vantages";
import autocannon from "autocannon";
import { row } from "../print.ts";
import { askWithK6 } from "./ask-with-k6.ts";
import type { KnownAnswer, ServerMessage, ServerStamps } from "./known-server.ts";

interface ErrorSummary {
  readonly median: number;
  readonly p95: number;
}

/** How well clients time a server whose own stamps are known. */
interface ClientErrorReport {
  readonly answer: KnownAnswer;
  readonly exchanges: number;
  readonly probe: {
    /** Probe's stamp of the first byte - server's stamp just before writing it. */
    readonly firstByteArrival: ErrorSummary;
    /** Probe's stamp of the last byte - server's stamp just after the kernel took it. */
    readonly lastByteArrival: ErrorSummary;
    /** Probe's first byte (from its own write) - server's time from reading the request to writing the first byte. */
    readonly firstByteDuration: ErrorSummary;
    readonly lastByteDuration: ErrorSummary;
    /** CPU time of the client, user and system, all threads. */
    readonly cpuMsPer1000: number;
  };
  /** The same load in the same run, in turns with the probe. It knows no first byte. */
  readonly autocannon: { readonly lastByteDuration: ErrorSummary; readonly cpuMsPer1000: number };
  /** Likewise, as vantages start it; null where it is not installed. Its stamps are on no clock that others share. */
  readonly k6: Pick<
    ClientErrorReport["probe"],
    "firstByteDuration" | "lastByteDuration" | "cpuMsPer1000"
  > | null;
}

const ANSWER: KnownAnswer = { headersAfterMs: 5, lastByteAfterMs: 25, bodyBytes: 200_000 };
const TURNS = 4;
const WARMUP_EXCHANGES = 50;

/** One exchange as a client saw it: nanoseconds on the shared clock, and durations; null where the client cannot tell. */
interface Seen {
  readonly firstByteAt: number | null;
  readonly lastByteAt: number | null;
  readonly firstByteNs: number | null;
  readonly lastByteNs: number;
}

export async function clientError(exchanges?: number): Promise<void> {
  const { answer, exchanges: each, probe, autocannon, k6 } = await measureClientError(exchanges);
  const micro = ({ median, p95 }: ErrorSummary) => `${median.toFixed(0)} / ${p95.toFixed(0)} us`;
  const print = (name: string, seen: Partial<ClientErrorReport["probe"]>) => {
    const say = (what: string, error: ErrorSummary | undefined) => {
      if (error !== undefined) row(`${name}: error of the ${what}`, micro(error));
    };
    say("first byte's arrival, median / p95", seen.firstByteArrival);
    say("last byte's arrival, median / p95", seen.lastByteArrival);
    say("duration to the first byte", seen.firstByteDuration);
    say("duration to the last byte", seen.lastByteDuration);
    row(`${name}: CPU for 1,000 requests`, `${seen.cpuMsPer1000?.toFixed(0)} ms`);
  };
  row("Requests each, server's known last byte", `${each}, ${answer.lastByteAfterMs} ms`);
  print("Probe", probe);
  print("autocannon", autocannon);
  if (k6 === null) row("k6", "not installed");
  else print("k6, its start taken off", k6);
}

/**
 * Measures the error and the cost of the probe, of autocannon and of k6, one connection each, in turns against one
 * server that sends headers after 5 ms and the last of 200 KB after 25 ms.
 *
 * @param exchanges of each client, warm-up not counted; about 30 ms each. Default 600.
 * @throws {Error} when an exchange fails: the numbers would mean nothing.
 */
async function measureClientError(exchanges = 600): Promise<ClientErrorReport> {
  const server = fork(fileURLToPath(new URL("known-server.ts", import.meta.url)), [JSON.stringify(ANSWER)], {
    serialization: "advanced",
  });
  try {
    const url = await urlOf(server);
    const probe = createProbe(url);
    const each = Math.ceil(exchanges / TURNS);
    const byProbe: Turn[] = [];
    const byAutocannon: Turn[] = [];
    const byK6: Turn[] = [];
    const k6 = await findK6();
    await takeTurn(server, () => askWithProbe(probe, WARMUP_EXCHANGES));
    await takeTurn(server, () => askWithAutocannon(url, WARMUP_EXCHANGES));
    for (let turn = 0; turn < TURNS; turn++) {
      byProbe.push(await takeTurn(server, () => askWithProbe(probe, each)));
      byAutocannon.push(await takeTurn(server, () => askWithAutocannon(url, each)));
      if (k6 !== null) byK6.push(await takeTurnOfK6(server, k6, url, each));
    }
    await probe.close();
    return {
      answer: ANSWER,
      exchanges: each * TURNS,
      probe: {
        firstByteArrival: summarise(byProbe, (seen, stamps) => minus(seen.firstByteAt, stamps.firstWrite)),
        lastByteArrival: summarise(byProbe, (seen, stamps) => minus(seen.lastByteAt, stamps.lastWrite)),
        firstByteDuration: summarise(byProbe, firstByteDuration),
        lastByteDuration: summarise(byProbe, lastByteDuration),
        cpuMsPer1000: cpuMsPer1000(byProbe),
      },
      autocannon: {
        lastByteDuration: summarise(byAutocannon, lastByteDuration),
        cpuMsPer1000: cpuMsPer1000(byAutocannon),
      },
      k6:
        k6 === null
          ? null
          : {
              firstByteDuration: summarise(byK6, firstByteDuration),
              lastByteDuration: summarise(byK6, lastByteDuration),
              cpuMsPer1000: cpuMsPer1000(byK6),
            },
    };
  } finally {
    server.disconnect();
  }
}

interface Turn {
  readonly seen: readonly Seen[];
  readonly stamps: readonly ServerStamps[];
  readonly cpuMs: number;
}

async function takeTurn(server: ChildProcess, ask: () => Promise<Seen[]>): Promise<Turn> {
  const before = process.cpuUsage();
  const seen = await ask();
  const { user, system } = process.cpuUsage(before);
  return { seen, stamps: await stampsFor(server, seen), cpuMs: (user + system) / 1000 };
}

/** k6 is started anew for each turn. What its start costs is measured beside, by one request alone, and taken off. */
async function takeTurnOfK6(server: ChildProcess, k6: string, url: string, exchanges: number): Promise<Turn> {
  const start = await askWithK6(k6, url, ANSWER.bodyBytes, 1);
  await stampsFor(server, start.exchanges);
  const asked = await askWithK6(k6, url, ANSWER.bodyBytes, exchanges);
  const seen = asked.exchanges.map(({ firstByteMs, lastByteMs }) => ({
    firstByteAt: null,
    lastByteAt: null,
    firstByteNs: (firstByteMs ?? Number.NaN) * 1e6,
    lastByteNs: (lastByteMs ?? Number.NaN) * 1e6,
  }));
  return { seen, stamps: await stampsFor(server, seen), cpuMs: asked.cpuMs - start.cpuMs };
}

/** The server's own stamps of what a client saw. */
async function stampsFor(server: ChildProcess, seen: readonly unknown[]): Promise<readonly ServerStamps[]> {
  server.send("stamps");
  const [message]: ServerMessage[] = await once(server, "message");
  const stamps = message !== undefined && "stamps" in message ? message.stamps : [];
  if (stamps.length !== seen.length) {
    throw new Error(
      `The client saw ${seen.length} requests, the server ${stamps.length}. Run it again on a quieter machine.`,
    );
  }
  return stamps;
}

async function askWithProbe(probe: Probe, exchanges: number): Promise<Seen[]> {
  const expected: Expectation = {
    status: 200,
    contentType: "text/plain",
    bytes: ANSWER.bodyBytes,
    sha256: "",
    masks: [],
    variation: null,
    isPage: false,
  };
  // performance.now() and process.hrtime read the same clock and differ by a constant.
  const zero = Number(process.hrtime.bigint()) - performance.now() * 1e6;
  const seen: Seen[] = [];
  for (let count = 0; count < exchanges; count++) {
    const { startedAt, firstByteMs, lastByteMs, error } = await probe.exchange("/", expected);
    if (error !== null || firstByteMs === null || lastByteMs === null) {
      throw new Error(`A request of the probe failed: ${error?.detail}.`);
    }
    seen.push({
      firstByteAt: zero + (startedAt + firstByteMs) * 1e6,
      lastByteAt: zero + (startedAt + lastByteMs) * 1e6,
      firstByteNs: firstByteMs * 1e6,
      lastByteNs: lastByteMs * 1e6,
    });
  }
  return seen;
}

async function askWithAutocannon(url: string, amount: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  const options = { url, connections: 1, amount, headers: { "accept-encoding": "identity" } };
  const { errors, non2xx } = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on("response", (_client, _status, _bytes, responseTimeMs) => {
      seen.push({ firstByteAt: null, lastByteAt: null, firstByteNs: null, lastByteNs: responseTimeMs * 1e6 });
    });
  });
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests of autocannon failed.`);
  return seen;
}

function firstByteDuration({ firstByteNs }: Seen, { firstWrite, requestRead }: ServerStamps): number {
  return minus(firstByteNs, firstWrite - requestRead);
}

function lastByteDuration({ lastByteNs }: Seen, { lastWrite, requestRead }: ServerStamps): number {
  return lastByteNs - Number(lastWrite - requestRead);
}

function minus(nanoseconds: number | null, stamp: bigint): number {
  return (nanoseconds ?? Number.NaN) - Number(stamp);
}

function summarise(
  turns: readonly Turn[],
  errorNs: (seen: Seen, stamps: ServerStamps) => number,
): ErrorSummary {
  const errors = turns
    .flatMap(({ seen, stamps }) =>
      seen.map((one, index) => errorNs(one, stamps[index] as ServerStamps) / 1000),
    )
    .sort((a, b) => a - b);
  // Nearest rank: the smallest value that at least this share of all does not exceed.
  const quantile = (share: number) => errors[Math.ceil(share * errors.length) - 1] ?? Number.NaN;
  return { median: quantile(0.5), p95: quantile(0.95) };
}

function cpuMsPer1000(turns: readonly Turn[]): number {
  const exchanges = turns.reduce((sum, { seen }) => sum + seen.length, 0);
  return (turns.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / exchanges) * 1000;
}

async function urlOf(server: ChildProcess): Promise<string> {
  const [message]: ServerMessage[] = await once(server, "message");
  if (message === undefined || !("url" in message))
    throw new Error("The server with known delays did not start.");
  return message.url;
}
