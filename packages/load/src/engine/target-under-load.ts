import { setTimeout as delay } from "node:timers/promises";
import type { Identity } from "@evenbench/core";
import { accountant, type ProcessAccount, startAll } from "@evenbench/host";
import { checkDigest, type ExchangeError, type Probe } from "@evenbench/probe";
import {
  type CaseRequest,
  type ConnectionWarmUp,
  type Instance,
  type InstanceSettings,
  startInstance,
  warmConnection,
} from "@evenbench/runner";
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

  private constructor(target: LoadedTarget, asked: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.asked = asked;
    this.#instances = instances;
  }

  static async start(
    target: LoadedTarget,
    asked: CaseRequest,
    verified: Identity,
    settings: InstanceSettings,
  ): Promise<TargetUnderLoad> {
    const { name, instances = 1, workers = 1 } = target;
    const names = Array.from({ length: instances }, (_, index) =>
      instances === 1 ? name : `${name}-${index + 1}`,
    );
    const up = await startAll(
      names.map((own) => () => startInstance(measuredAs(target, own), verified, { ...settings, workers })),
      (instance) => instance.stop(),
    );
    return new TargetUnderLoad(target, asked, up);
  }

  get urls(): readonly string[] {
    return this.#instances.map(({ url }) => url);
  }

  connections(count: number): readonly Probe[] {
    while (this.#probes.length < count) {
      const instance = this.#instances[this.#probes.length % this.#instances.length] as Instance;
      this.#probes.push(instance.connect());
    }
    return this.#probes.slice(0, count);
  }

  /** A cluster hands connections to its workers in turn, so that as many as workers reach each. */
  async warmUp(
    terms: Pick<Parameters<typeof warmConnection>[1], "needs" | "target" | "signal">,
    nextEnd: () => number,
  ): Promise<ConnectionWarmUp | null> {
    const { name } = this.target;
    const warmed = new Set<string | null>();
    let short: ConnectionWarmUp | null = null;
    for (const [index, probe] of this.connections(processesOf(this.target)).entries()) {
      if (terms.signal.aborted) return short;
      const { readCost } = this.#instances[index % this.#instances.length] as Instance;
      let instanceId: string | null = null;
      let isWarmed = false;
      const done = await warmConnection(
        { name, probe, ...this.asked, readCost },
        {
          ...terms,
          endsAt: nextEnd(),
          goOn(exchange) {
            instanceId = exchange.instanceId;
            isWarmed = instanceId !== null && warmed.has(instanceId);
            return !isWarmed;
          },
        },
      );
      if (done.warm) warmed.add(instanceId);
      else if (!isWarmed) short ??= done;
    }
    return short;
  }

  /** Before a stage: a busy server takes new ones so late that those opened under load are starved. */
  async open(count: number): Promise<void> {
    const { path, expected } = this.asked;
    await Promise.all(this.connections(count).map((probe) => probe.exchange(path, expected)));
  }

  async prove(): Promise<string | null> {
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.connections(this.#instances.length)) {
      let error = await this.#wrongWith(probe);
      while (error?.kind === "connection" && performance.now() < recoversBy) {
        await delay(TRY_AGAIN_MS);
        error = await this.#wrongWith(probe);
      }
      if (error !== null) return `${error.kind}: ${error.detail}`;
    }
    return null;
  }

  async #wrongWith(probe: Probe): Promise<ExchangeError | null> {
    const { path, expected } = this.asked;
    const exchange = await probe.exchange(path, expected, { body: true });
    checkDigest(exchange, expected);
    return exchange.error;
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
