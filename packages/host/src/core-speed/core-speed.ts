import type { ExchangeCost } from "@evenbench/results";
import type { MeterReading } from "../usage.ts";
import type { Gauge } from "./core-gauge.ts";

/**
 * Shortest requests around which a core is gauged, in milliseconds. The gauge takes about one before and one
 * after; shorter requests are so many that the speeds of their core even out.
 */
const MIN_GAUGED_MS = 5;

/**
 * Longest requests around which a core is gauged, in milliseconds: a core changes its speed within them, and two
 * readings at their ends say little of it. In a default run the correction narrowed the scatter between
 * instances in 3 of 3 cases below 40 ms, and widened it in 4 of 4 above 80 ms; between these nothing is known.
 */
const MAX_GAUGED_MS = 60;

/**
 * Decides for a whole case whether its cores are gauged: for all of its targets or for none, since one side that is
 * corrected alone would differ for that.
 *
 * @param timesMs how long a request of each of its targets takes, in milliseconds; their geometric mean decides.
 */
export function isWorthGauging(timesMs: readonly number[]): boolean {
  const logs = timesMs.filter((ms) => ms > 0).map(Math.log);
  if (logs.length === 0) {
    return false;
  }
  const typicalMs = Math.exp(logs.reduce((total, log) => total + log, 0) / logs.length);
  return typicalMs >= MIN_GAUGED_MS && typicalMs <= MAX_GAUGED_MS;
}

/** The steps that a gauged target adds to each of its exchanges. */
export interface GaugedSteps {
  /** Gauges the core before the exchange. */
  readonly beforeExchange?: () => Promise<void>;
  /** Gives what the exchange cost, and gauges the core after it. */
  readonly readCost?: () => Promise<ExchangeCost>;
}

/** A reading of the gauge. */
interface CoreReading {
  /** Number of the core. */
  readonly core: number;
  /** Milliseconds that the loop took. */
  readonly ms: number;
}

/**
 * Follows which core a target's processes ran on last, and gauges that core around the target's exchanges:
 * what one instance's time owes to a slow core can then be taken out of it (docs/method.md). Whether that is
 * done is decided once for a case, by `isWorthGauging`.
 */
export class CoreSpeed {
  readonly #readMeter: () => MeterReading;
  readonly #gauge: Gauge | null;
  #lastCore: number | null = null;

  /**
   * @param readMeter gives what the processes used since its last call.
   * @param gauge null where cores are not gauged.
   */
  constructor(readMeter: () => MeterReading, gauge: Gauge | null) {
    this.#readMeter = readMeter;
    this.#gauge = gauge;
  }

  /** Gives what the target's processes used since the last call: call it right after each exchange. */
  readonly readCost = (): ExchangeCost => {
    const { core, ...cost } = this.#readMeter();
    this.#lastCore = core ?? this.#lastCore;
    return cost;
  };

  /** Gets ready to gauge the core that the target ran on last. Takes up to seconds: call it between rounds. */
  async prepare(): Promise<void> {
    if (this.#lastCore !== null) {
      await this.#gauge?.prepare(this.#lastCore);
    }
  }

  /**
   * Decorates a target that is asked, so that its core is gauged before and after the exchange. One of which no
   * core is gauged is given back as it is.
   */
  gauged<Asked extends object>(asked: Asked): Asked & GaugedSteps {
    if (this.#gauge === null) {
      return asked;
    }
    let before: CoreReading | null = null;
    return {
      ...asked,
      beforeExchange: async () => {
        before = await this.#read();
      },
      readCost: async () => {
        const cost = this.readCost();
        const after = await this.#read();
        return after === null ? cost : { ...cost, gaugeMs: aroundExchange(before, after) };
      },
    };
  }

  /** Gauges the core that the target ran on last; null where that is not known, or it cannot be gauged. */
  async #read(): Promise<CoreReading | null> {
    const core = this.#lastCore;
    if (core === null || this.#gauge === null) {
      return null;
    }
    const ms = await this.#gauge.on(core);
    return ms === null ? null : { core, ms };
  }
}

/**
 * Gives the mean of both readings; of a target that moved to another core meanwhile only that core's reading, after
 * the exchange.
 */
function aroundExchange(before: CoreReading | null, after: CoreReading): number {
  return before?.core === after.core ? (before.ms + after.ms) / 2 : after.ms;
}
