import execution from "k6/execution";
import type { BeginLine, EndLine, ExchangeLine } from "../protocol/line.ts";
import { PLAN } from "./embedded.ts";
import { deriveSeed } from "./orders.ts";
import { drawNonce, givenVantageName } from "./surroundings.ts";

/** One client: it writes the lines of its log, and counts them. */
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

  /** Milliseconds of the wall clock since the client began; a clock that was set back never gives less than 0. */
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
