import type { LoadSample } from "@evenbench/results";
import { dueCount, dueTimes, type K6RequestLine, type OwnArrivals } from "./stage-plan.ts";

export type TimedLine = Pick<K6RequestLine, "begunAtMs" | "blockedMs" | "overAtMs">;

export interface DueRequest<L extends TimedLine = K6RequestLine> {
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
  plan: OwnArrivals,
): readonly DueRequest<L>[] {
  const { firstMs, gapMs } = dueTimes(plan);
  const ordered = lines.toSorted((a, b) => a.begunAtMs - b.begunAtMs);
  const ends = lines.map(({ overAtMs }) => overAtMs).sort((a, b) => a - b);
  const arrivals = arrivalsOf(ordered, { firstMs, gapMs }, dueCount(plan));
  let over = 0;
  return ordered.map((line, index) => {
    while ((ends[over] ?? Number.POSITIVE_INFINITY) <= line.begunAtMs) over += 1;
    // Stamps are rounded to microseconds.
    const dueAtMs = Math.min(firstMs + (arrivals[index] as number) * gapMs, line.begunAtMs);
    return { line, dueAtMs, sentAtMs: line.begunAtMs + line.blockedMs, outstanding: index - over };
  });
}

function arrivalsOf(
  ordered: readonly TimedLine[],
  { firstMs, gapMs }: ReturnType<typeof dueTimes>,
  due: number,
): readonly number[] {
  let next = due;
  return ordered
    .map(({ begunAtMs }) => Math.floor((begunAtMs - firstMs) / gapMs))
    .reduceRight<number[]>((arrivals, latest, index) => {
      // Those before it came before.
      next = Math.max(index, Math.min(next - 1, latest));
      arrivals[index] = next;
      return arrivals;
    }, []);
}

export function meanUnderWay(lines: readonly TimedLine[], fromMs: number, toMs: number): number {
  if (toMs <= fromMs) return 0;
  const within = lines.map(({ begunAtMs, overAtMs }) =>
    Math.max(0, Math.min(overAtMs, toMs) - Math.max(begunAtMs, fromMs)),
  );
  return within.reduce((sum, ms) => sum + ms, 0) / (toMs - fromMs);
}

export function sampleOf(
  { line, dueAtMs, sentAtMs, outstanding }: DueRequest,
  startMs: number,
  warmUpMs: number,
): Omit<LoadSample, "stage"> {
  const { evenbench: _kind, begunAtMs: _begun, blockedMs: _blocked, overAtMs: _over, ...seen } = line;
  return {
    ...seen,
    phase: dueAtMs < warmUpMs ? "warmup" : "measure",
    intendedAtMs: startMs + dueAtMs,
    startedAtMs: startMs + sentAtMs,
    outstanding,
  };
}
