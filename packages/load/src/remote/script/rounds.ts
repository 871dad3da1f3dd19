// An iteration is one trial of one case; whatever an engine makes of `options`, no trial is played twice.
import { ErrorBudget, interleave } from "@evenbench/probe/rules";
import { sleep } from "k6";
import { sha256 } from "k6/crypto";
import execution from "k6/execution";
import type { Options } from "k6/options";
import type { ExchangeLine } from "../lines.ts";
import type { PlannedCase, PlannedRequest, RoundsPlan } from "../plan.ts";
import { type Begun, begin, elapsedMs, end, givenToken, givenVantageName, write } from "./client.ts";
import { ask, observe } from "./observe.ts";

export interface EmbeddedRounds extends RoundsPlan {
  readonly hash: string;
  /** Of a client that plays all. */
  readonly exchanges: number;
}

declare const EVENBENCH_PLAN: EmbeddedRounds;
const PLAN = EVENBENCH_PLAN;

const { seed, trials, roundsPerTrial, warmUpExchanges, digestEvery, targets } = PLAN.run;
const TRIALS_OF_CASE = trials.minimum;
const TRIALS = TRIALS_OF_CASE * PLAN.cases.length;
/** By name, their originals. */
const COPIES = new Map(targets.map(({ name, copyOf }) => [name, copyOf]));
/** An engine that repeats by duration waits here for its time to be over. */
const IDLE_S = 1;

export const options: Options = {
  scenarios: {
    vantage: {
      executor: "per-vu-iterations",
      // Of fewer than there are pods, k6 gives some of them none, and they end with exit code 0.
      vus: Number(__ENV.EVENBENCH_CLIENTS || 1),
      iterations: TRIALS,
      maxDuration: "24h",
    },
  },
  noVUConnectionReuse: true,
  batchPerHost: 1,
};

let client: Client | null = null;
let played = 0;
let isOver = false;

export default function playNext(): void {
  if (isOver) {
    sleep(IDLE_S);
    return;
  }
  client ??= new Client();
  const planned = PLAN.cases[Math.floor(played / TRIALS_OF_CASE)];
  const stopped = planned === undefined ? null : new Trial(client, planned, played).play();
  played += 1;
  isOver = stopped !== null || played >= TRIALS;
  if (isOver) client.end(stopped);
}

export function handleSummary(): Record<string, string> {
  return {};
}

class Client {
  readonly seed: number;
  readonly begun: Begun;
  #exchanges = 0;
  #failed = 0;

  constructor() {
    const vantage = givenVantageName(PLAN.closed.length > 0);
    const client = String(__ENV.EVENBENCH_CLIENT || execution.vu.idInTest);
    this.seed = deriveSeed(seed, vantage, client);
    this.begun = begin({ plan: PLAN.hash, vantage, client, part: null, exchanges: PLAN.exchanges });
  }

  exchange(exchange: Omit<ExchangeLine, "evenbench" | "nonce">): void {
    write({ evenbench: "exchange", nonce: this.begun.nonce, ...exchange });
    this.#exchanges += 1;
    if (exchange.error !== null) this.#failed += 1;
  }

  end(stopped: string | null): void {
    end(this.begun, { plan: PLAN.hash, exchanges: this.#exchanges, failed: this.#failed, stopped });
  }
}

/** The runner's, with what k6 has. */
function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(sha256([seed, ...purpose].join("/"), "hex").slice(0, 8), 16);
}

interface Round {
  readonly phase: ExchangeLine["phase"];
  readonly round: number;
  readonly request: PlannedRequest;
  readonly order: readonly string[];
}

class Trial {
  readonly #client: Client;
  readonly #case: PlannedCase;
  readonly #stage: number;
  readonly #budgets = new Map<string, ErrorBudget>();

  constructor(client: Client, planned: PlannedCase, stage: number) {
    this.#client = client;
    this.#case = planned;
    this.#stage = stage;
  }

  play(): string | null {
    const { request, transfer } = this.#case;
    return (
      this.#warmUp() ??
      this.#rounds("measure", request) ??
      (transfer === null ? null : this.#rounds("transfer", transfer))
    );
  }

  /** Each target alone and back to back, originals before copies, as a run does. */
  #warmUp(): string | null {
    const isCopy = (name: string) => COPIES.get(name) != null;
    const inOrder = this.#orders("start")().sort((a, b) => Number(isCopy(a)) - Number(isCopy(b)));
    const { request } = this.#case;
    for (const target of inOrder) {
      for (let round = 0; round < (warmUpExchanges ?? 0); round++) {
        const stopped = this.#round({ phase: "warmup", round, request, order: [target] });
        if (stopped !== null) return stopped;
      }
    }
    return null;
  }

  #rounds(phase: Round["phase"], request: PlannedRequest): string | null {
    const nextOrder = this.#orders(phase);
    for (let round = 0; round < (roundsPerTrial ?? 0); round++) {
      const stopped = this.#round({ phase, round, request, order: nextOrder() });
      if (stopped !== null) return stopped;
    }
    return null;
  }

  /** One exchange at every place; what came is looked at, and written, when the last is over. */
  #round({ phase, round, request, order }: Round): string | null {
    const withDigest = phase !== "transfer" && round % digestEvery === 0;
    const played = order.map((target) => {
      const startedAtMs = elapsedMs(this.#client.begun);
      return { target, startedAtMs, response: send(target, request) };
    });
    // Looking at bodies costs time, which must not fall into the next target's.
    for (const [position, { target, startedAtMs, response }] of played.entries()) {
      const observed = observe(response, request.expected, withDigest);
      const where = { stage: this.#stage, target, phase, round, position, startedAtMs };
      this.#client.exchange({ ...where, ...observed });
      this.#budgetOf(target).count(observed.error);
    }
    return order.map((target) => this.#whyEnough(target)).find((why) => why !== null) ?? null;
  }

  #whyEnough(target: string): string | null {
    const { exhausted } = this.#budgetOf(target);
    return exhausted === null ? null : `${target} in ${this.#case.id}: ${exhausted}`;
  }

  #budgetOf(target: string): ErrorBudget {
    const budget = this.#budgets.get(target) ?? new ErrorBudget();
    this.#budgets.set(target, budget);
    return budget;
  }

  #orders(purpose: string): () => string[] {
    const { id, targets } = this.#case;
    return interleave(targets, deriveSeed(this.#client.seed, id, this.#stage % TRIALS_OF_CASE, purpose));
  }
}

function send(target: string, { path }: PlannedRequest): ReturnType<typeof ask> {
  const headers: Record<string, string> = {};
  if (PLAN.closed.includes(target)) headers.authorization = `Bearer ${givenToken()}`;
  // A copy's origin is written in another way for a connection of its own; the host is given the usual one.
  const original = COPIES.get(target);
  if (original != null) headers.host = String(PLAN.origins[original]).replace(/^https?:\/\//, "");
  return ask(`${PLAN.origins[target]}${path}`, PLAN.exchangeTimeoutMs, headers);
}
