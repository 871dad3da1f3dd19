// Rates and due times, for the script inside of k6 and for readers of its lines: nothing of Node.js or k6 here.
import { voidUnchecked, type Wrong } from "@evenbench/probe/rules";
import type { LoadSample, LoadStage, OpenLoad } from "@evenbench/results";
import type { CaseRequest } from "@evenbench/runner";
import { inWindow, LATE_MS, phaseOf, UNMEASURED_SHARE } from "../engine/window.ts";
import type { Observed, RequestLine, SentLine } from "./lines.ts";

/** Milliseconds at the start of a stage in which its connections are opened, before anything is due. */
export const OPEN_MS = 2000;
/**
 * Seconds that k6 counts arrivals in. Its rates are whole numbers, so that this one takes thousandths of an
 * arrival per second.
 */
export const RATE_UNIT_S = 1000;

/** A stage as the script inside of k6 plays it: requests to one target at one rate. */
export interface StagePlan extends CaseRequest {
  /** Origins of the target's instances; connections are spread over them in turn. */
  readonly origins: readonly string[];
  /** Milliseconds after which a request counts as failed. */
  readonly timeoutMs: number;
  /** Connections of all clients together. */
  readonly connections: number;
  /** Arrivals in `RATE_UNIT_S` seconds, of all clients together. */
  readonly rate: number;
  /** Milliseconds from the first arrival's due time to the end, without the opening of connections. */
  readonly stageMs: number;
  /** True where the target serves only callers with its token. */
  readonly isClosed: boolean;
}

/** Gives a load's arrivals in `RATE_UNIT_S` seconds, at least 1. */
export function rateOf({ perSecond }: OpenLoad): number {
  return Math.max(1, Math.round(perSecond * RATE_UNIT_S));
}

/** The arrivals of a stage that one client makes. */
export interface OwnArrivals extends Pick<StagePlan, "rate" | "stageMs"> {
  /** Index of its first arrival among all, from 0. Default: 0. */
  readonly first?: number;
  /** Distance from one of its arrivals to the next. Default: 1, all of them. */
  readonly every?: number;
}

/** The due times of a client's arrivals, in milliseconds. */
interface DueTimes {
  /** The first one's, from the stage's start. */
  readonly firstMs: number;
  /** The time from one to the next. */
  readonly gapMs: number;
}

function dueTimes({ rate, first = 0, every = 1 }: OwnArrivals): DueTimes {
  // k6 has whole nanoseconds, rounded down.
  const periodMs = Math.floor((RATE_UNIT_S * 1e9) / rate) / 1e6;
  return { firstMs: first * periodMs, gapMs: every * periodMs };
}

/**
 * Fraction of an interarrival gap: an arrival this near to the end may or may not be sent by k6, because of
 * rounding.
 */
const ROUNDED_GAP = 1e-3;

/** Counts the arrivals of a client that are due within its stage. */
export function dueCount(arrivals: OwnArrivals): number {
  const { firstMs, gapMs } = dueTimes(arrivals);
  return Math.max(0, Math.ceil((arrivals.stageMs - firstMs) / gapMs - ROUNDED_GAP));
}

/** A request with its due time. */
interface DueRequest {
  readonly line: RequestLine;
  /** Milliseconds from the stage's start; never after it was begun. */
  readonly dueAtMs: number;
  /** Number of the client's other requests that were under way when this one began. */
  readonly outstanding: number;
}

/**
 * Finds the due time of each request: k6 does not say which arrivals it left out, so each is the latest one that it can
 * have been, and a burst after a pause keeps the pause in its latency.
 */
export function dueRequests(lines: readonly RequestLine[], arrivals: OwnArrivals): readonly DueRequest[] {
  const { firstMs, gapMs } = dueTimes(arrivals);
  const ordered = lines.toSorted((a, b) => a.begunAtMs - b.begunAtMs);
  const ends = lines.map(({ overAtMs }) => overAtMs).sort((a, b) => a - b);
  const indices: number[] = [];
  let next = dueCount(arrivals);
  for (const [index, { begunAtMs }] of [...ordered.entries()].toReversed()) {
    // Requests before it belong to arrivals before its own.
    next = Math.max(index, Math.min(next - 1, Math.floor((begunAtMs - firstMs) / gapMs)));
    indices[index] = next;
  }
  let over = 0;
  return ordered.map((line, index) => {
    while ((ends[over] ?? Number.POSITIVE_INFINITY) <= line.begunAtMs) {
      over += 1;
    }
    const dueAtMs = Math.min(firstMs + (indices[index] as number) * gapMs, line.begunAtMs);
    return { line, dueAtMs, outstanding: index - over };
  });
}

/** Times of a stage. */
interface StageTimes {
  /** The stage's start, in milliseconds from the run's start. */
  readonly startMs: number;
  /** The start of its measured window, in milliseconds from the stage's start. */
  readonly fromMs: number;
  /** The end of its measured window, in milliseconds from the stage's start. */
  readonly toMs: number;
}

/** The part of a stage that one client has sent. */
interface ClientStage {
  /** Samples in the order in which the requests began. */
  readonly samples: readonly Omit<LoadSample, "stage">[];
  readonly counts: Pick<LoadStage, "sent" | "late" | "dropped" | "completed" | "meanInFlight">;
}

/**
 * Reads the samples and the counts of a stage from one client's lines.
 *
 * @param last the fault of an answer behind the stage; null where it was right, or nobody asked.
 */
export function playedStage(
  written: readonly RequestLine[],
  arrivals: OwnArrivals,
  { startMs, fromMs, toMs }: StageTimes,
  last: Wrong = null,
): ClientStage {
  const lines = written.map((line) => ({ ...line })).sort((a, b) => a.overAtMs - b.overAtMs);
  voidUnchecked(lines, last);
  const requests = dueRequests(lines, arrivals);
  const late = requests.filter(
    ({ line: { begunAtMs, blockedMs }, dueAtMs }) => begunAtMs + blockedMs - dueAtMs > LATE_MS,
  );
  const passed = lines.map(({ error, ...times }) => ({ ...times, isAnswer: error === null }));
  const warmUpMs = arrivals.stageMs * UNMEASURED_SHARE;
  return {
    samples: requests.map(({ line, dueAtMs, outstanding }): Omit<LoadSample, "stage"> => {
      return {
        phase: phaseOf(dueAtMs, line.error === null ? null : line.overAtMs, warmUpMs),
        connection: line.connection,
        intendedAtMs: startMs + dueAtMs,
        startedAtMs: startMs + line.begunAtMs + line.blockedMs,
        ...exchangeOf(line),
        outstanding,
      };
    }),
    counts: {
      sent: requests.length,
      late: late.length,
      // Either no connection was free, or k6 itself was too late for it.
      dropped: Math.max(0, dueCount(arrivals) - requests.length),
      ...inWindow(passed, fromMs, toMs),
    },
  };
}

/**
 * Milliseconds below which a time is none: the client's clock was set back meanwhile, and that is the
 * request's error.
 */
const SHORTEST_MS = 1e-6;

/** The exchange of a line of either kind, in the fields of samples. */
type LineExchange = Omit<Observed, "edge" | "protocol" | "isChecked">;

/** Gives the exchange of a line as samples have it; one in which no time passed is an error. */
export function exchangeOf(line: SentLine): LineExchange {
  const { connectMs, firstByteMs, lastByteMs, status, bodyBytes, instanceId, served, inFlight, error } = line;
  const stepped = [firstByteMs, lastByteMs].some((ms) => ms !== null && ms < SHORTEST_MS);
  const detail = "no time passed: the client's clock was set back";
  return {
    connectMs,
    firstByteMs: stepped ? null : firstByteMs,
    lastByteMs: stepped ? null : lastByteMs,
    error: error ?? (stepped ? { kind: "connection" as const, detail } : null),
    status,
    bodyBytes,
    instanceId,
    served,
    inFlight,
  };
}
