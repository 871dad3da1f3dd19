import type { LatencyCondition, LoadSample, LoadStage } from "@evenbench/results";
import { mean, quantile, sorted } from "@evenbench/stats";

export interface StageSummary {
  readonly stage: LoadStage;
  readonly exchanges: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly latency: LatencyQuantiles | null;
  readonly serviceMeanMs: number | null;
  readonly waitMeanMs: number | null;
  readonly inFlightMean: number | null;
  readonly inFlightMost: number | null;
  readonly outstandingMean: number | null;
  readonly cpuMsPerExchange: number | null;
  readonly bodyBytes: number | null;
  readonly little: LittlesLaw | null;
  readonly held: boolean | null;
}

interface LatencyQuantiles {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly most: number;
}

export class StageTally {
  readonly #latencies: number[] = [];
  readonly #services: number[] = [];
  readonly #inFlight: number[] = [];
  #outstanding = 0;
  #bodyBytes = 0;
  #errors = 0;

  push(sample: LoadSample): void {
    if (sample.phase !== "measure") return;
    if (sample.error !== null || sample.lastByteMs === null) {
      this.#errors += 1;
      return;
    }
    this.#latencies.push(latencyOf(sample));
    this.#services.push(sample.lastByteMs);
    if (sample.inFlight !== null) this.#inFlight.push(sample.inFlight);
    this.#outstanding += sample.outstanding;
    this.#bodyBytes += sample.bodyBytes ?? 0;
  }

  summarise(stage: LoadStage, condition: LatencyCondition | null = null): StageSummary {
    const exchanges = this.#latencies.length;
    const answersPerMs = stage.windowMs > 0 ? stage.completed / stage.windowMs : 0;
    const known = exchanges > 0;
    const serviceMeanMs = known ? mean(this.#services) : null;
    const latency = known ? quantilesOf(this.#latencies) : null;
    return {
      stage,
      exchanges,
      errors: this.#errors,
      perSecond: answersPerMs * 1000,
      latency,
      serviceMeanMs,
      waitMeanMs: latency === null || serviceMeanMs === null ? null : latency.mean - serviceMeanMs,
      inFlightMean: this.#inFlight.length > 0 ? mean(this.#inFlight) : null,
      inFlightMost: this.#inFlight.length > 0 ? (sorted(this.#inFlight).at(-1) ?? null) : null,
      bodyBytes: known ? this.#bodyBytes / exchanges : null,
      outstandingMean: known ? this.#outstanding / exchanges : null,
      cpuMsPerExchange:
        stage.usage === null || stage.completed === 0 ? null : stage.usage.cpuMs / stage.completed,
      held: condition === null ? null : holds(this, stage, condition),
      little:
        serviceMeanMs === null || stage.completed === 0
          ? null
          : littlesLaw(stage.meanInFlight, answersPerMs, serviceMeanMs, stage.completed),
    };
  }

  shareWithin({ limitMs }: LatencyCondition): number {
    const all = this.#latencies.length + this.#errors;
    return all === 0 ? 0 : this.#latencies.filter((ms) => ms <= limitMs).length / all;
  }
}

/** What somebody who sent at the intended time would have waited (Tene; wrk2). */
function latencyOf(sample: Pick<LoadSample, "intendedAtMs" | "startedAtMs" | "lastByteMs">): number {
  return sample.startedAtMs - sample.intendedAtMs + (sample.lastByteMs ?? 0);
}

export function holds(tally: StageTally, stage: LoadStage, condition: LatencyCondition): boolean {
  return stage.ended === null && stage.dropped === 0 && tally.shareWithin(condition) >= condition.quantile;
}

function quantilesOf(latencies: readonly number[]): LatencyQuantiles {
  const ordered = sorted(latencies);
  return {
    mean: mean(ordered),
    p50: quantile(ordered, 0.5),
    p95: quantile(ordered, 0.95),
    p99: quantile(ordered, 0.99),
    most: quantile(ordered, 1),
  };
}

/** Requests under way = rate × time under way (Little, 1961). */
export interface LittlesLaw {
  readonly counted: number;
  readonly expected: number;
  readonly holds: boolean;
}

const TOLERANCE = 0.05;

/** The client's own count and its time stamps part where it is the bottleneck. Tolerance: 5 %, and the window's edges. */
export function littlesLaw(
  counted: number,
  answersPerMs: number,
  meanMs: number,
  answers: number,
): LittlesLaw {
  const expected = answersPerMs * meanMs;
  const largest = Math.max(counted, expected);
  const tolerance = largest * (TOLERANCE + largest / Math.max(answers, 1));
  return { counted, expected, holds: Math.abs(counted - expected) <= tolerance };
}
