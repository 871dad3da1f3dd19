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
import type { LocalTarget } from "./options.ts";
import type { CaseSession } from "./planned-case.ts";

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

/** Why the memory of a server that was not started for it is not read. */
export const NOT_STARTED = "its memory was not read: that takes a process that Evenbench starts.";

/** Reads the memory of each target of a case, one after the other. One that fails stops no other. */
export async function measureMemory(state: CaseState): Promise<void> {
  const { context } = state;
  const { session } = context;
  for (const measured of state.measuredTargets) {
    const { name, target, copyOf } = measured;
    if (copyOf !== null) {
      continue;
    }
    const whyNot = target.place === "local" ? state.whyNotAwaited(name) : NOT_STARTED;
    if (target.place !== "local" || whyNot !== null) {
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

/** A target whose memory is read. */
export interface MemoryOrder extends Omit<InspectedOrder, "inspected"> {
  readonly target: LocalTarget;
}

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
