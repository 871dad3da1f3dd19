import { sha256 } from "k6/crypto";
import execution from "k6/execution";
import type { BeginLine, EndLine, ExchangeLine } from "../protocol/line.ts";
import type { PlannedCase } from "../protocol/plan.ts";
import { drawNonce, givenVantageName } from "./surroundings.ts";

export class Client {
  readonly seed: number;
  readonly #startedAt = Date.now();
  readonly #nonce = drawNonce();
  #exchanges = 0;
  #failed = 0;

  constructor() {
    const vantage = givenVantageName(PLAN.closed.length > 0);
    const client = String(__ENV.EVENBENCH_CLIENT || execution.vu.idInTest);
    this.seed = deriveSeed(PLAN.seed, vantage, client);
    const line: BeginLine = {
      evenbench: "begin",
      protocol: 1,
      plan: PLAN.hash,
      nonce: this.#nonce,
      vantage,
      client,
      seed: this.seed,
      startedAt: new Date(this.#startedAt).toISOString(),
      trials: PLAN.trials * PLAN.cases.length,
      exchanges: PLAN.exchanges,
    };
    write(line);
  }

  /**
   * Milliseconds of the wall clock since the client began; a clock that was set back never gives less than
   * 0.
   */
  elapsedMs(): number {
    return Math.max(0, Date.now() - this.#startedAt);
  }

  exchange(exchange: Omit<ExchangeLine, "evenbench" | "nonce" | "seq">): void {
    write({ evenbench: "exchange", nonce: this.#nonce, seq: this.#exchanges, ...exchange });
    this.#exchanges += 1;
    if (exchange.error !== null) this.#failed += 1;
  }

  end(stopped: string | null): void {
    write({
      evenbench: "end",
      plan: PLAN.hash,
      nonce: this.#nonce,
      exchanges: this.#exchanges,
      failed: this.#failed,
      elapsedMs: this.elapsedMs(),
      stopped,
    });
  }
}

function write(line: BeginLine | ExchangeLine | EndLine): void {
  console.log(JSON.stringify(line));
}

export interface EmbeddedPlan {
  readonly hash: string;
  readonly seed: number;
  readonly trials: number;
  readonly rounds: number;
  readonly warmUp: number;
  readonly digestEvery: number;
  readonly timeoutMs: number;
  readonly cases: readonly PlannedCase[];
  readonly origins: Readonly<Record<string, string>>;
  readonly copies: readonly string[];
  readonly hosts: Readonly<Record<string, string>>;
  readonly closed: readonly string[];
  readonly exchanges: number;
}

declare const EVENBENCH_PLAN: EmbeddedPlan;

export const PLAN: EmbeddedPlan = EVENBENCH_PLAN;

/** The same seed as the runner's `deriveSeed` gives: the first four bytes of the same hash. */
export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(sha256([seed, ...purpose].join("/"), "hex").slice(0, 8), 16);
}
