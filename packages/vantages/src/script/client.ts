import { randomBytes } from "k6/crypto";
import execution from "k6/execution";
import type { BeginLine, EndLine, ExchangeLine } from "../protocol/line.ts";
import { PLAN } from "./embedded.ts";
import { deriveSeed } from "./orders.ts";
import { givenToken } from "./token.ts";

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** One client: it writes the lines of its log, and counts them. */
export class Client {
  readonly seed: number;
  readonly #startedAt = Date.now();
  readonly #nonce = hex(randomBytes(8));
  #exchanges = 0;
  #failed = 0;

  constructor() {
    const vantage = vantageName();
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

/** Its name comes from whoever starts it; on AWS the region is one. A test without a name is ended: nobody could tell where it was measured. */
function vantageName(): string {
  const name = __ENV.EVENBENCH_VANTAGE || __ENV.AWS_REGION || "";
  if (!NAME.test(name)) {
    execution.test.abort(
      `EVENBENCH_VANTAGE is "${name}". Set it to this vantage's name: lower-case letters, digits and hyphens, such as eu.`,
    );
  }
  if (PLAN.closed.length > 0 && givenToken() === "") {
    execution.test.abort("EVENBENCH_TOKEN is not set, and the targets are closed. Set it to their token.");
  }
  return name;
}

function write(line: BeginLine | ExchangeLine | EndLine): void {
  console.log(JSON.stringify(line));
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
