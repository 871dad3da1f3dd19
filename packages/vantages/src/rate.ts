// What a rate asks of each client, for the script inside of k6 and for whoever reads its lines: no Node.js, no k6.
import type { LoadSample, OpenLoad } from "@evenbench/results";
import type { RequestLine } from "./lines.ts";
import type { PlannedRequest } from "./plan.ts";

/** The first part of a stage is not measured: queues and compilers come to rest in it. */
export const UNMEASURED_SHARE = 1 / 4;
/** Beyond this a free connection's sending counts as late. Timers of Node.js are good to about a millisecond. */
export const LATE_MS = 2;
export const OPEN_MS = 2000;
/** k6 takes whole numbers as rates: in so many seconds, thousandths of an arrival per second are one. */
export const RATE_UNIT_S = 1000;

export interface StagePlan {
  readonly origins: readonly string[];
  readonly path: string;
  readonly expected: PlannedRequest["expected"];
  readonly timeoutMs: number;
  readonly connections: number;
  /** Arrivals in `RATE_UNIT_S` seconds. */
  readonly rate: number;
  readonly stageMs: number;
  readonly isClosed: boolean;
}

export function rateOf({ perSecond }: OpenLoad): number {
  return Math.max(1, Math.round(perSecond * RATE_UNIT_S));
}

/** Which arrivals of a stage one client is to make: every so many-th of them, from the `first` one (from 0) on. */
export interface OwnArrivals extends Pick<StagePlan, "rate" | "stageMs"> {
  readonly first?: number;
  readonly every?: number;
}

/** When a client's first arrival is due, in milliseconds from the stage's start, and from one of its own to the next. */
function dueTimes({ rate, first = 0, every = 1 }: OwnArrivals) {
  // k6 has whole nanoseconds, rounded down.
  const periodMs = Math.floor((RATE_UNIT_S * 1e9) / rate) / 1e6;
  return { firstMs: first * periodMs, gapMs: every * periodMs };
}

/** What is due within such a part of a gap before the end, through rounded gaps, k6 may or may not come to. */
const AT_THE_END = 1e-3;

/** Requests that are due in a stage: without others' parts the first one at its start. */
export function dueCount(arrivals: OwnArrivals): number {
  const { firstMs, gapMs } = dueTimes(arrivals);
  return Math.max(0, Math.ceil((arrivals.stageMs - firstMs) / gapMs - AT_THE_END));
}

export type TimedLine = Pick<RequestLine, "begunAtMs" | "blockedMs" | "overAtMs">;

export interface DueRequest<L extends TimedLine = RequestLine> {
  readonly line: L;
  readonly dueAtMs: number;
  readonly sentAtMs: number;
  readonly outstanding: number;
}

/**
 * Finds when each request was due: k6 does not say which arrivals it left out, so each is the latest one
 * that it can have been, and a burst after a pause keeps the pause in its latency.
 */
export function dueRequests<L extends TimedLine>(
  lines: readonly L[],
  arrivals: OwnArrivals,
): readonly DueRequest<L>[] {
  const { firstMs, gapMs } = dueTimes(arrivals);
  const ordered = lines.toSorted((a, b) => a.begunAtMs - b.begunAtMs);
  const ends = lines.map(({ overAtMs }) => overAtMs).sort((a, b) => a - b);
  const indices: number[] = [];
  let next = dueCount(arrivals);
  for (const [index, { begunAtMs }] of [...ordered.entries()].toReversed()) {
    // Those before it came before.
    next = Math.max(index, Math.min(next - 1, Math.floor((begunAtMs - firstMs) / gapMs)));
    indices[index] = next;
  }
  let over = 0;
  return ordered.map((line, index) => {
    while ((ends[over] ?? Number.POSITIVE_INFINITY) <= line.begunAtMs) over += 1;
    const dueAtMs = Math.min(firstMs + (indices[index] as number) * gapMs, line.begunAtMs);
    return { line, dueAtMs, sentAtMs: line.begunAtMs + line.blockedMs, outstanding: index - over };
  });
}

export function summariseRequests(lines: readonly RequestLine[], arrivals: OwnArrivals) {
  const requests = dueRequests(lines, arrivals);
  return {
    requests,
    sent: requests.length,
    late: requests.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > LATE_MS).length,
    // Whether no connection was free, or k6 itself was too late for it.
    dropped: Math.max(0, dueCount(arrivals) - requests.length),
  };
}

export function betweenTimes(
  lines: readonly (TimedLine & Pick<RequestLine, "error">)[],
  fromMs: number,
  toMs: number,
) {
  const completed = lines.filter(
    ({ error, overAtMs }) => error === null && overAtMs >= fromMs && overAtMs < toMs,
  ).length;
  const underWayMs = lines.reduce(
    (sum, { begunAtMs, overAtMs }) =>
      sum + Math.max(0, Math.min(overAtMs, toMs) - Math.max(begunAtMs, fromMs)),
    0,
  );
  return { completed, meanInFlight: toMs > fromMs ? underWayMs / (toMs - fromMs) : 0 };
}

/** @param startMs of the stage, from the start of the run. */
export function loadSampleOf(
  { line, dueAtMs, sentAtMs, outstanding }: DueRequest,
  startMs: number,
  stageMs: number,
): Omit<LoadSample, "stage"> {
  const { connection, connectMs, status, bodyBytes, instanceId, served, inFlight } = line;
  return {
    phase: dueAtMs < stageMs * UNMEASURED_SHARE ? "warmup" : "measure",
    connection,
    intendedAtMs: startMs + dueAtMs,
    startedAtMs: startMs + sentAtMs,
    connectMs,
    ...timesOf(line),
    status,
    bodyBytes,
    instanceId,
    served,
    inFlight,
    outstanding,
  };
}

/** Below this a time is none: a clock was set back meanwhile. */
const LEAST_MS = 1e-6;

/** A line's times; where the client's clock was set back meanwhile there are none, and that is its error. */
export function timesOf({
  firstByteMs,
  lastByteMs,
  error,
}: Pick<RequestLine, "firstByteMs" | "lastByteMs" | "error">): Pick<
  LoadSample,
  "firstByteMs" | "lastByteMs" | "error"
> {
  const stepped = [firstByteMs, lastByteMs].some((ms) => ms !== null && ms < LEAST_MS);
  if (!stepped) return { firstByteMs, lastByteMs, error };
  const detail = "no time passed: the client's clock was set back";
  return { firstByteMs: null, lastByteMs: null, error: error ?? { kind: "connection", detail } };
}
