// For the script inside of k6 and for whoever reads its lines: no Node.js, no k6.
import { voidUnchecked, type Wrong } from "@evenbench/probe/rules";
import type { LoadSample, OpenLoad } from "@evenbench/results";
import type { CaseRequest } from "@evenbench/runner";
import { inWindow, LATE_MS, phaseOf, UNMEASURED_SHARE } from "../engine/window.ts";
import type { RequestLine, SentLine } from "./lines.ts";

export const OPEN_MS = 2000;
/** k6 takes whole numbers as rates: in so many seconds, thousandths of an arrival per second are one. */
export const RATE_UNIT_S = 1000;

export interface StagePlan extends CaseRequest {
  readonly origins: readonly string[];
  readonly timeoutMs: number;
  readonly connections: number;
  readonly rate: number;
  readonly stageMs: number;
  readonly isClosed: boolean;
}

export function rateOf({ perSecond }: OpenLoad): number {
  return Math.max(1, Math.round(perSecond * RATE_UNIT_S));
}

/** One client makes every so many-th arrival of a stage, from the `first` one (from 0) on. */
export interface OwnArrivals extends Pick<StagePlan, "rate" | "stageMs"> {
  readonly first?: number;
  readonly every?: number;
}

function dueTimes({ rate, first = 0, every = 1 }: OwnArrivals) {
  // k6 has whole nanoseconds, rounded down.
  const periodMs = Math.floor((RATE_UNIT_S * 1e9) / rate) / 1e6;
  return { firstMs: first * periodMs, gapMs: every * periodMs };
}

/** What is due within such a part of a gap before the end, through rounded gaps, k6 may or may not come to. */
const AT_THE_END = 1e-3;

export function dueCount(arrivals: OwnArrivals): number {
  const { firstMs, gapMs } = dueTimes(arrivals);
  return Math.max(0, Math.ceil((arrivals.stageMs - firstMs) / gapMs - AT_THE_END));
}

/**
 * Finds when each request was due: k6 does not say which arrivals it left out, so each is the latest one
 * that it can have been, and a burst after a pause keeps the pause in its latency.
 */
export function dueRequests(lines: readonly RequestLine[], arrivals: OwnArrivals) {
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
    while ((ends[over] ?? Number.POSITIVE_INFINITY) <= line.begunAtMs) {
      over += 1;
    }
    const dueAtMs = Math.min(firstMs + (indices[index] as number) * gapMs, line.begunAtMs);
    return { line, dueAtMs, outstanding: index - over };
  });
}

/**
 * What one client's lines say of a stage that began at `startMs`, and was measured from `fromMs` to `toMs` of it.
 *
 * @param last what was wrong with an answer behind the stage; null where it was right, or nobody asked.
 */
export function playedStage(
  written: readonly RequestLine[],
  arrivals: OwnArrivals,
  { startMs, fromMs, toMs }: Readonly<Record<"startMs" | "fromMs" | "toMs", number>>,
  last: Wrong = null,
) {
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
      // Whether no connection was free, or k6 itself was too late for it.
      dropped: Math.max(0, dueCount(arrivals) - requests.length),
      ...inWindow(passed, fromMs, toMs),
    },
  };
}

/** Below this a time is none: the client's clock was set back meanwhile, and that is its error. */
const LEAST_MS = 1e-6;

export function exchangeOf(line: SentLine) {
  const { connectMs, firstByteMs, lastByteMs, status, bodyBytes, instanceId, served, inFlight, error } = line;
  const stepped = [firstByteMs, lastByteMs].some((ms) => ms !== null && ms < LEAST_MS);
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
