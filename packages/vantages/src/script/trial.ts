import { interleave } from "@evenbench/probe/interleave";
import { ErrorBudget } from "@evenbench/runner/health";
import type { ExchangeLine } from "../protocol/line.ts";
import type { PlannedCase, PlannedRequest } from "../protocol/plan.ts";
import { type Client, deriveSeed, PLAN } from "./client.ts";
import { ask, type Observed, observe } from "./observe.ts";
import { givenToken } from "./surroundings.ts";

type Phase = ExchangeLine["phase"];

/** A trial of a case: connections are fresh in each, since the engine closes them between iterations. */
export class Trial {
  readonly #client: Client;
  readonly #case: PlannedCase;
  readonly #trial: number;
  readonly #budgets = new Map<string, ErrorBudget>();

  constructor(client: Client, planned: PlannedCase, trial: number) {
    this.#client = client;
    this.#case = planned;
    this.#trial = trial;
  }

  play(): string | null {
    return this.#warmUp() ?? this.#rounds("measure", this.#case.request) ?? this.#transfer();
  }

  /** Each target alone and back to back, originals before copies, as a run does. */
  #warmUp(): string | null {
    const started = this.#orders("start")();
    const isCopy = (name: string) => PLAN.copies.includes(name);
    const inOrder = [...started.filter((name) => !isCopy(name)), ...started.filter(isCopy)];
    const { request } = this.#case;
    for (const target of inOrder) {
      for (let round = 0; round < PLAN.warmUp; round++) {
        const stopped = this.#round({ phase: "warmup", round, request, order: [target] });
        if (stopped !== null) return stopped;
      }
    }
    return null;
  }

  #transfer(): string | null {
    const { transfer } = this.#case;
    return transfer === null ? null : this.#rounds("transfer", transfer);
  }

  #rounds(phase: Phase, request: PlannedRequest): string | null {
    const nextOrder = this.#orders(phase);
    for (let round = 0; round < PLAN.rounds; round++) {
      const stopped = this.#round({ phase, round, request, order: nextOrder() });
      if (stopped !== null) return stopped;
    }
    return null;
  }

  /** One exchange at every place; what came is looked at, and written, when the last is over. */
  #round({ phase, round, request, order }: Round): string | null {
    const withDigest = phase !== "transfer" && round % PLAN.digestEvery === 0;
    const played = order.map((target) => {
      const startedAtMs = this.#client.elapsedMs();
      return { target, startedAtMs, observe: exchange(target, request, withDigest) };
    });
    for (const [position, { target, startedAtMs, observe }] of played.entries()) {
      const observed = observe();
      const where = { case: this.#case.id, target, trial: this.#trial, phase, round, position, startedAtMs };
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
    return ordersOf(targets, this.#client.seed, { caseId: id, trial: this.#trial, purpose });
  }
}

interface Round {
  readonly phase: Phase;
  readonly round: number;
  readonly request: PlannedRequest;
  readonly order: readonly string[];
}

function exchange(target: string, { path, expected }: PlannedRequest, withDigest: boolean): () => Observed {
  const response = ask(`${PLAN.origins[target]}${path}`, PLAN.timeoutMs, headersFor(target));
  // Looking at bodies costs time, which must not fall into the next target's.
  return () => observe(response, expected, withDigest);
}

function headersFor(target: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (PLAN.closed.includes(target)) headers.authorization = `Bearer ${givenToken()}`;
  // A copy's origin is written in another way for a connection of its own; the host is given the usual one.
  const host = PLAN.hosts[target];
  if (host !== undefined) headers.host = host;
  return headers;
}

/** The orders of one trial, as a run has them: the client's own seed, and the probe's own code. */
function ordersOf<T>(
  items: readonly T[],
  seed: number,
  { caseId, trial, purpose }: { readonly caseId: string; readonly trial: number; readonly purpose: string },
): () => T[] {
  return interleave(items, deriveSeed(seed, caseId, trial, purpose));
}
