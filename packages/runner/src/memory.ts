// Memory in use after a collection, read over V8's inspector between blocks of requests.
import { messageOf, quotesOf, type Reason } from "@evenbench/core";
import { accountant } from "@evenbench/host";
import { evaluate } from "@evenbench/host/inspector";
import type { MemoryReading } from "@evenbench/results";
import type { CaseState } from "./case-state.ts";
import {
  BLOCK,
  type InspectedInstance,
  type InspectedOrder,
  LateError,
  ORDER_TAKES_MS,
  openInspectorAtStart,
  withInspected,
} from "./inspected-target.ts";
import type { LocalTarget, Target } from "./options.ts";
import type { CaseSession } from "./planned-case.ts";
import type { MeasurementRecord, Recorder } from "./recorder.ts";
import { whyNotAwaited } from "./session.ts";

/** Number of readings of a target, each after a block of requests, of which the first fills caches. */
export const READINGS = 9;
/** Memory beyond which no further block is sent: what grows that fast is known by then. */
const ENOUGH_BYTES = 512e6;
/** Fewest readings that have an interval. */
const ENOUGH_BLOCKS = 4;

/** Estimates the time of a block and its reading, in milliseconds. @param exchangeMs time of one request. */
export function readingMs(exchangeMs: number): number {
  return Math.min(BLOCK.withinMs, BLOCK.requests * exchangeMs) + 2 * ORDER_TAKES_MS;
}

/** Longest time of all readings of a target, in milliseconds, without its start and what its last answers take. */
export const MEMORY_MS: number = READINGS * readingMs(Number.POSITIVE_INFINITY);

/** Reads the memory of each target of a case, one request at a time. */
export async function measureMemory({ context, measuredTargets }: CaseState): Promise<void> {
  const { session, manifest } = context;
  const orders = measuredTargets
    .filter(({ copyOf }) => copyOf === null)
    .map((measured) => ({ target: measured.target, request: context.requestOf(measured), connections: 1 }));
  await recordMemory(session, manifest.id, orders, () => context.showProgress("memory", 0, 0));
}

/** A target whose memory is to be read, what it is asked for, and on how many connections at a time. */
export interface MemoryOrder<T extends Target = Target>
  extends Pick<InspectedOrder, "request" | "connections"> {
  readonly target: T;
}

/** A session that records memory: that of a run, or of a load. */
interface MemorySession extends Pick<CaseSession, "instanceSettings" | "signal" | "lost"> {
  readonly recorder: Pick<Recorder<MeasurementRecord>, "event"> & {
    add(list: "memory", reading: MemoryReading): void;
    save(): Promise<unknown>;
  };
}

/**
 * Reads the memory of targets of a case into a record, one after the other. One that fails stops no other.
 *
 * @param onStart is called with the name of each target that is read.
 */
export async function recordMemory(
  session: MemorySession,
  caseId: string,
  orders: readonly MemoryOrder[],
  onStart: (name: string) => void,
): Promise<void> {
  const { recorder, lost } = session;
  for (const { target, ...asked } of orders) {
    const { name } = target;
    const at = { caseId, target: name };
    const whyNot = target.place === "local" ? whyNotAwaited(lost, name) : NOT_STARTED;
    if (target.place !== "local" || whyNot !== null) {
      recorder.event("memory-failed", `${name}: ${whyNot}`, at);
      continue;
    }
    onStart(name);
    const failure = await readMemory({ target, ...asked }, session, (reading) =>
      recorder.add("memory", { ...at, ...reading }),
    );
    if (failure !== null) {
      recorder.event("memory-failed", failure.message, { ...at, quotes: failure.quotes });
    }
    if (failure?.isLate === true) {
      lost.set(name, caseId);
    }
    await recorder.save();
  }
}

/** Why the memory of a server that was not started for it is not read. */
const NOT_STARTED = "its memory was not read: that takes a process that Evenbench starts.";

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
  order: MemoryOrder<LocalTarget>,
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
    const message = `${order.target.name}: its memory was not read. ${messageOf(problem)}`;
    return { message, quotes: quotesOf(problem), isLate: problem instanceof LateError };
  }
}

/** @throws {Error} where the instance does not start, has no inspector, or fails. */
async function readBlocks(
  order: MemoryOrder<LocalTarget>,
  session: Parameters<typeof readMemory>[1],
  keep: Parameters<typeof readMemory>[2],
): Promise<void> {
  const { signal } = session;
  if (signal.aborted) {
    return;
  }
  const inspected = await openInspectorAtStart(order.target);
  await withInspected({ ...order, name: order.target.name, inspected }, session, async (instance) => {
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
