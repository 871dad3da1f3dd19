// Memory in use after a collection, read over V8's inspector between blocks of requests.
import { addAbortListener } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { COUNTED, messageOf, quotesOf, type Reason, reasonOf, UserError } from "@evenbench/core";
import { accountant, quoteLog } from "@evenbench/host";
import { evaluate, type InspectorSession } from "@evenbench/host/inspector";
import { checkBody, isClients, type Probe } from "@evenbench/probe";
import type { MemoryReading } from "@evenbench/results";
import type { CaseState } from "./case-state.ts";
import { type InspectedTarget, openInspectorAtStart } from "./inspected-target.ts";
import { describeDeath, logFileIn, probeOf, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";
import type { CaseRequest, CaseSession } from "./planned-case.ts";

/** Number of readings of a target, each after a block of requests, of which the first fills caches. */
export const READINGS = 9;
/** Requests of a block, and the time after which a slow server's block ends with fewer of them. */
const BLOCK = { requests: 200, withinMs: 4000 } as const;
/** Memory beyond which no further block is sent: what grows that fast is known by then. */
const ENOUGH_BYTES = 512e6;
/** Fewest readings that have an interval. */
const ENOUGH_BLOCKS = 4;
/** Milliseconds from an order of the inspector to the request behind it. */
const ORDER_TAKES_MS = 50;

/** Estimates the time of a block and its reading, in milliseconds. @param exchangeMs time of one request. */
export function readingMs(exchangeMs: number): number {
  return Math.min(BLOCK.withinMs, BLOCK.requests * exchangeMs) + 2 * ORDER_TAKES_MS;
}

/** Longest time of all readings of a target, in milliseconds, without its start and what its last answers take. */
export const MEMORY_MS: number = READINGS * readingMs(Number.POSITIVE_INFINITY);

/** Reads the memory of each local target of a case, one after the other. One that fails stops no other. */
export async function measureMemory(state: CaseState): Promise<void> {
  const { context } = state;
  const { session } = context;
  for (const measured of state.measuredTargets) {
    const { name, target, copyOf } = measured;
    if (target.place !== "local" || copyOf !== null) {
      continue;
    }
    const whyNot = state.whyNotAwaited(name);
    if (whyNot !== null) {
      context.reportEvent("memory-failed", `${name}: ${whyNot}`, name, null);
      continue;
    }
    context.showProgress("memory", 0, 0);
    const order = { name, target, request: context.requestOf(measured), connections: 1 };
    const failure = await readMemory(order, session, (reading) =>
      session.recorder.add("memory", { caseId: context.manifest.id, target: name, ...reading }),
    );
    if (failure !== null) {
      context.reportEvent("memory-failed", failure.message, name, null, failure.quotes);
    }
    if (failure?.isLate === true) {
      session.lost.set(name, context.manifest.id);
    }
    session.recorder.flush();
  }
}

/** A target whose memory is read, what it is asked for, and on how many connections at a time. */
export interface MemoryOrder {
  readonly name: string;
  readonly target: LocalTarget;
  readonly request: CaseRequest;
  readonly connections: number;
}

/** A target did not answer in time. */
class LateError extends RunError {}

/** Why memory was not read to its end, and whether that is because the target did not answer in time. */
interface MemoryFailure extends Reason {
  readonly isLate: boolean;
}

/**
 * Starts an instance, sends it the blocks, and gives the reading after each.
 *
 * @returns why it was not read to its end; null where it was, or where an abort ended it.
 */
export async function readMemory(
  order: MemoryOrder,
  session: Pick<CaseSession, "instanceSettings" | "signal">,
  keep: (reading: Omit<MemoryReading, "caseId" | "target">) => void,
): Promise<MemoryFailure | null> {
  try {
    await readBlocks(order, session, keep);
    return null;
  } catch (problem) {
    if (session.signal.aborted) {
      return null;
    }
    const message = `${order.name}: its memory was not read. ${messageOf(problem)}`;
    return { message, quotes: quotesOf(problem), isLate: problem instanceof LateError };
  }
}

/** @throws {Error} where the instance does not start, has no inspector, or fails. */
async function readBlocks(
  order: MemoryOrder,
  session: Parameters<typeof readMemory>[1],
  keep: Parameters<typeof readMemory>[2],
): Promise<void> {
  const { signal } = session;
  if (signal.aborted) {
    return;
  }
  const inspected = await openInspectorAtStart(order.target);
  await withInspected({ ...order, inspected }, session, async (instance) => {
    await instance.inspector.call("HeapProfiler.enable");
    for (let block = 0; block < READINGS && !signal.aborted; block++) {
      const sent = await instance.sendBlock();
      const { requests, ...inUse } = await collected(instance);
      const account = await accountant.read(instance.pids());
      keep({ block, requests: sent + requests, ...inUse, residentBytes: account?.residentBytes ?? null });
      if (block >= ENOUGH_BLOCKS && inUse.heapBytes + inUse.bufferBytes > ENOUGH_BYTES) {
        return;
      }
    }
  });
}

/** A fresh instance that is inspected between blocks of requests. */
export interface InspectedInstance {
  readonly inspector: InspectorSession;
  pids(): readonly number[];
  /** Sends a block of requests, one at a time on each connection. Resolves to how many these were. */
  sendBlock(): Promise<number>;
  /**
   * Waits until its isolate has carried out an order. workerd does that at its next request, so these are sent until it
   * has. Resolves to the order's result, and how many requests this took.
   */
  inTurn<Result>(order: Promise<Result>): Promise<{ readonly result: Result; readonly requests: number }>;
}

/**
 * Starts an instance of a target, works with it, and stops it.
 *
 * @throws {RunError} where the work fails: with how the instance died, where it did, and with the end of its log. A platform
 *   may have replaced a process that died, which only the log says.
 */
export async function withInspected<Result>(
  {
    name,
    inspected,
    request,
    connections,
  }: Omit<MemoryOrder, "target"> & { readonly inspected: InspectedTarget },
  { instanceSettings: settings, signal }: Pick<CaseSession, "instanceSettings" | "signal">,
  work: (instance: InspectedInstance) => Promise<Result>,
): Promise<Result> {
  const { target } = inspected;
  await using open = new AsyncDisposableStack();
  const host = await serveLocal(target, name, { ...settings, workers: 1 });
  open.defer(() => host.stop());
  const probes = Array.from({ length: connections }, () =>
    probeOf(target, host.url, settings.exchangeTimeoutMs),
  );
  open.defer(async () => {
    await Promise.all(probes.map((probe) => probe.close()));
  });
  // A request under way would otherwise hold an abort until its timeout.
  using _aborted = addAbortListener(signal, () => {
    for (const each of probes) {
      void each.close();
    }
  });
  const [probe] = probes as [Probe];
  const logFile = logFileIn(settings.logFolder, name);
  const nextRequest = requestsOf(request);
  let inspector: InspectorSession | undefined;
  open.defer(() => inspector?.close());
  try {
    inspector = await inspected.connect(logFile);
    return await work({
      inspector,
      pids: host.pids,
      sendBlock: () => sendBlock(probes, nextRequest),
      inTurn: (order) => inTurn(order, () => sendOne(probe, nextRequest)),
    });
  } catch (problem) {
    // A process of Node.js that ends waits for its debugger to leave.
    inspector?.close();
    const death = await describeDeath(host);
    if (death === null && !(problem instanceof UserError)) {
      throw problem;
    }
    const { message, quotes } = death ?? reasonOf(problem);
    const Failed = death === null && problem instanceof LateError ? LateError : RunError;
    throw new Failed(message, quotes.length === 0 ? [quoteLog(logFile)] : quotes);
  }
}

/** Makes the function that gives one request after the other: where a path counts up, each asks for the next number. */
function requestsOf(request: CaseRequest): () => CaseRequest {
  if (!request.path.includes(COUNTED)) {
    return () => request;
  }
  let number = 0;
  return () => {
    number += 1;
    return { ...request, expected: { ...request.expected, unchecked: "body", number } };
  };
}

/** Does what {@link InspectedInstance.sendBlock} says. */
export async function sendBlock(probes: readonly Probe[], nextRequest: () => CaseRequest): Promise<number> {
  const endsAt = performance.now() + BLOCK.withinMs;
  let sent = 0;
  const isOver = () => sent >= BLOCK.requests || performance.now() > endsAt;
  const send = async (probe: Probe): Promise<void> => {
    while (!isOver()) {
      sent += 1;
      await sendOne(probe, nextRequest);
    }
  };
  await Promise.all(probes.map(send));
  return sent;
}

/** Sends a request. @throws {RunError} where the target fails: what the client itself cut off says nothing of memory. */
async function sendOne(probe: Probe, nextRequest: () => CaseRequest): Promise<void> {
  const { path, expected } = nextRequest();
  const exchange = await probe.exchange(path, expected, { digest: false });
  checkBody(exchange, expected);
  const { error } = exchange;
  if (error !== null && !isClients(error)) {
    const Failed = error.kind === "timeout" ? LateError : RunError;
    throw new Failed(`A request failed (${error.detail}).`);
  }
}

/** Does what {@link InspectedInstance.inTurn} says. @param request sends one. */
async function inTurn<Result>(
  order: Promise<Result>,
  request: () => Promise<void>,
): Promise<{ readonly result: Result; readonly requests: number }> {
  let isPending = true;
  const ended = order.finally(() => {
    isPending = false;
  });
  let requests = 0;
  const sending = (async () => {
    do {
      await delay(ORDER_TAKES_MS);
      requests += 1;
      await request();
    } while (isPending);
  })();
  const [result] = await Promise.all([ended, sending]);
  return { result, requests };
}

/** Reads what is in use after a collection, and how many requests this took. */
async function collected({
  inspector,
  inTurn,
}: InspectedInstance): Promise<Pick<MemoryReading, "heapBytes" | "bufferBytes" | "requests">> {
  const { requests } = await inTurn(inspector.call("HeapProfiler.collectGarbage"));
  const usage = await inspector.call<{ usedSize: number; backingStorageSize?: number }>(
    "Runtime.getHeapUsage",
  );
  // Node.js below 26 says in its own words alone what lies beside the heap.
  const bufferBytes =
    usage.backingStorageSize ?? (await evaluate<number>(inspector, "process.memoryUsage().external"));
  return { requests, heapBytes: Math.round(usage.usedSize), bufferBytes: Math.round(bufferBytes) };
}
