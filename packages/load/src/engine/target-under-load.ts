import { setTimeout as delay } from "node:timers/promises";
import { accountant, type ProcessAccount } from "@evenbench/host";
import { checkDigest, type Probe } from "@evenbench/probe";
import type { CaseRequest, ConnectionWarmUp, Instance, WarmUpNeeds } from "@evenbench/runner";
import { warmConnection } from "@evenbench/runner";
import type { LoadedTarget } from "../options.ts";
import { measuredAs, processesOf } from "../plan.ts";

/** A cluster may be starting a worker in the place of one that died. */
const RECOVERY_MS = 3000;
const TRY_AGAIN_MS = 100;

export class TargetUnderLoad {
  readonly target: LoadedTarget;
  readonly asked: CaseRequest;
  readonly #instances: readonly Instance[];
  readonly #probes: Probe[] = [];

  constructor(target: LoadedTarget, asked: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.asked = asked;
    this.#instances = instances;
  }

  get urls(): readonly string[] {
    return this.#instances.map(({ url }) => url);
  }

  #instanceOf(connection: number): Instance {
    return this.#instances[connection % this.#instances.length] as Instance;
  }

  connections(count: number): readonly Probe[] {
    while (this.#probes.length < count) this.#probes.push(this.#instanceOf(this.#probes.length).connect());
    return this.#probes.slice(0, count);
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
    let short: ConnectionWarmUp | null = null;
    for (const [index, probe] of this.connections(processesOf(this.target)).entries()) {
      if (signal.aborted) return short;
      const { readCost } = this.#instanceOf(index);
      const done = await warmConnection(
        { name: this.target.name, probe, ...this.asked, readCost },
        { needs, target: measuredAs(this.target), endsAt: nextEnd(), signal },
      );
      if (!done.warm) short ??= done;
    }
    return short;
  }

  /** Before a stage: a busy server takes new ones so late that those opened under load are starved. */
  async open(count: number): Promise<void> {
    const { path, expected } = this.asked;
    await Promise.all(this.connections(count).map((probe) => probe.exchange(path, expected)));
  }

  async prove(): Promise<string | null> {
    const { path, expected } = this.asked;
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.connections(this.#instances.length)) {
      const ask = async () => {
        const exchange = await probe.exchange(path, expected, { body: true });
        checkDigest(exchange, expected);
        return exchange.error;
      };
      let error = await ask();
      while (error?.kind === "connection" && performance.now() < recoversBy) {
        await delay(TRY_AGAIN_MS);
        error = await ask();
      }
      if (error !== null) return `${error.kind}: ${error.detail}`;
    }
    return null;
  }

  account(): Promise<ProcessAccount | null> {
    return accountant.read(this.pids());
  }

  pids(): readonly number[] {
    return this.#instances.flatMap((instance) => instance.pids());
  }

  async causeOfDeath(): Promise<string | null> {
    const causes = await Promise.all(this.#instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.#instances.map((instance) => instance.stop()));
  }

  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}
