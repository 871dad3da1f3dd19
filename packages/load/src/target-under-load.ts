import { setTimeout as delay } from "node:timers/promises";
import type { Reason } from "@evenbench/core";
import { accountant, type ProcessAccount } from "@evenbench/host";
import { checkBody, ErrorBudget, type ExchangeError, isClients, type Probe } from "@evenbench/probe";
import {
  type CaseRequest,
  type ConnectionWarmUp,
  type Instance,
  refuseClientLimit,
  type WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import type { LoadedTarget } from "./options.ts";
import { measuredAs, processesOf } from "./plan.ts";

/**
 * Milliseconds in which failed connections are tried again: a cluster may be starting a worker in the place
 * of one that died.
 */
const RECOVERY_MS = 3000;
/** Milliseconds between two of these tries. */
const RETRY_AFTER_MS = 100;

/** Fraction of the time left of a case that the warm-up of one trial may take. */
const WARM_UP_SHARE_OF_TRIAL = 0.5;
/** Milliseconds that the warm-up of a connection may take in any case. */
const SHORTEST_WARM_UP_MS = 1500;

/**
 * Divides the time of a trial's warm-up among connections that are warmed up one after the other; what one
 * does not need is shared by those after it.
 *
 * @param caseEndsAt the end of the case's time by `performance.now()`.
 * @returns a function that gives the end of the next connection's warm-up, by the same clock.
 */
export function warmUpShares(caseEndsAt: number, connections: number): () => number {
  const begunAt = performance.now();
  const endsAt = begunAt + (caseEndsAt - begunAt) * WARM_UP_SHARE_OF_TRIAL;
  let left = connections;
  return (): number => {
    const now = performance.now();
    const shareMs = (endsAt - now) / Math.max(1, left);
    left -= 1;
    return now + Math.max(SHORTEST_WARM_UP_MS, shareMs);
  };
}

/** Says why a connection is not warm, and how its warm-up ended. */
export function describeShortWarmUp({ exchanges, needed, error }: ConnectionWarmUp): string {
  const came =
    needed === null
      ? `${exchanges} requests, too few to find out how many it needs`
      : `${exchanges} of the ${needed} requests that it needs`;
  return error === null
    ? `its time ended its warm-up after ${came}. More time for the load warms it up.`
    : `a failed request (${error.kind}: ${error.detail}) ended its warm-up after ${came}.`;
}

/** A target whose instances run, and the client's connections to them. */
export class TargetUnderLoad {
  readonly target: LoadedTarget;
  readonly request: CaseRequest;
  readonly instances: readonly Instance[];
  /** The errors of its warm-up. */
  readonly warmUpErrors: ErrorBudget = new ErrorBudget();
  /** The errors of requests that opened connections before a stage. They drop no target: load may cause them. */
  readonly openingErrors: ErrorBudget = new ErrorBudget();
  readonly #probes: Probe[] = [];
  #logged = 0;

  constructor(target: LoadedTarget, request: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.request = request;
    this.instances = instances;
  }

  /**
   * Gives the first connections of the client, which are spread over the instances in turn, and opens those that are
   * missing.
   */
  connections(count: number): readonly Probe[] {
    while (this.#probes.length < count) {
      this.#probes.push(this.#instanceOf(this.#probes.length).connect());
    }
    return this.#probes.slice(0, count);
  }

  #instanceOf(connection: number): Instance {
    return this.instances[connection % this.instances.length] as Instance;
  }

  /**
   * Warms up every process. A cluster hands connections to its workers in turn, so that as many connections
   * as workers reach each of them.
   *
   * @param nextEnd gives the end of the next connection's warm-up, by `performance.now()`.
   * @returns the first warm-up that was too short; null where all were long enough, or an abort ended them.
   */
  async warmUp(
    needs: WarmUpNeeds,
    nextEnd: () => number,
    signal: AbortSignal,
  ): Promise<ConnectionWarmUp | null> {
    const { name } = this.target;
    let short: ConnectionWarmUp | null = null;
    for (const [index, probe] of this.connections(processesOf(this.target)).entries()) {
      if (signal.aborted) {
        return short;
      }
      const { cpu } = this.#instanceOf(index);
      const terms = {
        needs,
        target: measuredAs(this.target),
        endsAt: nextEnd(),
        signal,
        budget: this.warmUpErrors,
      };
      const { beginCost, readCost } = cpu;
      const done = await warmConnection({ name, probe, ...this.request, beginCost, readCost }, terms);
      if (!done.warm) {
        short ??= done;
      }
    }
    return short;
  }

  /**
   * Opens connections before a stage: a busy server takes new ones so late that those opened under load are
   * starved.
   */
  async open(count: number): Promise<readonly Probe[]> {
    const { path, expected } = this.request;
    const probes = this.connections(count);
    const opened = await Promise.all(probes.map((probe) => probe.exchange(path, expected)));
    for (const exchange of opened) {
      checkBody(exchange, expected);
      if (exchange.error === null || !isClients(exchange.error)) {
        this.openingErrors.count(exchange.error);
      }
    }
    return probes;
  }

  /**
   * Asks every instance once more.
   *
   * @returns the error of one that does not answer as in preflight; null where all do.
   */
  async prove(): Promise<ExchangeError | null> {
    const recoversBy = performance.now() + RECOVERY_MS;
    const probes = this.connections(this.instances.length);
    const errors = await Promise.all(probes.map((probe) => this.#proveBy(probe, recoversBy)));
    return errors.find((error) => error !== null) ?? null;
  }

  /** Asks over one connection, again until `recoversBy` where it failed. */
  async #proveBy(probe: Probe, recoversBy: number): Promise<ExchangeError | null> {
    const { path, expected } = this.request;
    for (;;) {
      const exchange = await probe.exchange(path, expected, { digest: true });
      checkBody(exchange, expected);
      const { error } = exchange;
      if (error === null) {
        return null;
      }
      refuseClientLimit(error);
      const mayPass = error.kind === "connection" || error.kind === "client-pause";
      if (!mayPass || performance.now() >= recoversBy) {
        return error;
      }
      await delay(RETRY_AFTER_MS);
    }
  }

  /** Reads what all its processes have used so far; null where the system does not say it, or others do their work. */
  async account(): Promise<ProcessAccount | null> {
    return this.instances.every(({ cpu }) => cpu.isTrusted) ? accountant.read(this.pids()) : null;
  }

  /** Gives the number of bytes that its processes wrote to their logs since the last call. */
  newLogged(): number {
    const logged = sum(this.instances.map((instance) => instance.loggedBytes()));
    const before = this.#logged;
    this.#logged = logged;
    return logged - before;
  }

  /** The ids of all its processes. */
  pids(): readonly number[] {
    return this.instances.flatMap((instance) => instance.pids());
  }

  /** Says why an instance ended by itself; null where all run. */
  async causeOfDeath(): Promise<Reason | null> {
    const causes = await Promise.all(this.instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  /** Closes the connections, and stops the instances. */
  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  /** Closes the client's connections: requests under way fail. */
  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}
