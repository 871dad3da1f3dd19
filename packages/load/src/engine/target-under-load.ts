import { setTimeout as delay } from "node:timers/promises";
import { accountant, type ProcessAccount } from "@evenbench/host";
import { checkDigest, type Probe } from "@evenbench/probe";
import {
  type CaseRequest,
  type ConnectionWarmUp,
  type Instance,
  type WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import type { LoadedTarget } from "../options.ts";
import { measuredAs, processesOf } from "../plan.ts";

/** A cluster may be starting a worker in the place of one that died. */
const RECOVERY_MS = 3000;
const TRY_AGAIN_MS = 100;

export class TargetUnderLoad {
  readonly target: LoadedTarget;
  readonly request: CaseRequest;
  readonly instances: readonly Instance[];
  readonly #probes: Probe[] = [];

  constructor(target: LoadedTarget, request: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.request = request;
    this.instances = instances;
  }

  /** The client's are spread over its instances in turn. */
  connections(count: number): readonly Probe[] {
    while (this.#probes.length < count) this.#probes.push(this.#instanceOf(this.#probes.length).connect());
    return this.#probes.slice(0, count);
  }

  #instanceOf(connection: number): Instance {
    return this.instances[connection % this.instances.length] as Instance;
  }

  /**
   * A cluster hands connections to its workers in turn, so that as many as workers reach each.
   *
   * @returns the first that did not become warm.
   */
  async warmUp(
    needs: WarmUpNeeds,
    nextEnd: () => number,
    signal: AbortSignal,
  ): Promise<ConnectionWarmUp | null> {
    const { name } = this.target;
    let short: ConnectionWarmUp | null = null;
    for (const [index, probe] of this.connections(processesOf(this.target)).entries()) {
      if (signal.aborted) return short;
      const { readCost } = this.#instanceOf(index);
      const terms = { needs, target: measuredAs(this.target), endsAt: nextEnd(), signal };
      const done = await warmConnection({ name, probe, ...this.request, readCost }, terms);
      if (!done.warm) short ??= done;
    }
    return short;
  }

  /** Before a stage: a busy server takes new ones so late that those opened under load are starved. */
  async open(count: number): Promise<readonly Probe[]> {
    const { path, expected } = this.request;
    const probes = this.connections(count);
    await Promise.all(probes.map((probe) => probe.exchange(path, expected)));
    return probes;
  }

  /** @returns why it does not answer as in preflight. */
  async prove(): Promise<string | null> {
    const { path, expected } = this.request;
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.connections(this.instances.length))
      for (;;) {
        const exchange = await probe.exchange(path, expected, { body: true });
        checkDigest(exchange, expected);
        const { error } = exchange;
        if (error === null) break;
        if (error.kind !== "connection" || performance.now() >= recoversBy)
          return `${error.kind}: ${error.detail}`;
        await delay(TRY_AGAIN_MS);
      }
    return null;
  }

  account(): Promise<ProcessAccount | null> {
    return accountant.read(this.pids());
  }

  pids(): readonly number[] {
    return this.instances.flatMap((instance) => instance.pids());
  }

  async causeOfDeath(): Promise<string | null> {
    const causes = await Promise.all(this.instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}
