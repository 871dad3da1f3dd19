import { setTimeout as delay } from "node:timers/promises";
import type { Identity } from "@evenbench/core";
import type { ProcessAccount } from "@evenbench/host";
import { checkDigest, type ExchangeError, type Expectation, type Probe } from "@evenbench/probe";
import { type Instance, type InstanceSettings, startInstance } from "@evenbench/runner/engine";
import { isSteady } from "@evenbench/stats";
import type { SubjectChoice } from "../options.ts";

/** Warm-up of a fresh instance ends after this time, steady or not. */
export const MOST_WARMUP_MS = 1500;

/** A cluster may be starting a worker in the place of one that died. */
const RECOVERY_MS = 3000;
const TRY_AGAIN_MS = 100;

/** A subject that is up: fresh instances, and connections to them. */
export class RunningSubject {
  readonly choice: SubjectChoice;
  readonly #instances: readonly Instance[];
  readonly #probes: Probe[] = [];

  private constructor(choice: SubjectChoice, instances: readonly Instance[]) {
    this.choice = choice;
    this.#instances = instances;
  }

  /**
   * Starts its instances side by side.
   *
   * @throws {Error} when one does not start, or is not what preflight saw; the others are stopped then.
   */
  static async start(
    choice: SubjectChoice,
    verified: Identity,
    settings: InstanceSettings,
  ): Promise<RunningSubject> {
    const { name, target, instances, workers } = choice;
    const starts = await Promise.allSettled(
      Array.from({ length: instances }, (_, index) => {
        // Each has its own log, and workerd its own configuration beside it.
        const contender = {
          name: instances === 1 ? name : `${name}-${index + 1}`,
          source: target,
          twinOf: null,
        };
        return startInstance(contender, verified, { ...settings, workers });
      }),
    );
    const up = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const failed = starts.find((start) => start.status === "rejected");
    if (failed === undefined) return new RunningSubject(choice, up);
    await Promise.all(up.map((instance) => instance.stop()));
    throw failed.reason;
  }

  /** So many connections, spread over the instances in turn. They are opened when first used, and kept; see `open`. */
  lanes(count: number): readonly Probe[] {
    while (this.#probes.length < count) {
      const instance = this.#instances[this.#probes.length % this.#instances.length] as Instance;
      this.#probes.push(instance.connect());
    }
    return this.#probes.slice(0, count);
  }

  /** One exchange after the other with each instance until its times are steady, or a bound. @returns whether all are. */
  async warmUp(path: string, expected: Expectation, signal: AbortSignal): Promise<boolean> {
    let steady = true;
    for (const probe of this.lanes(this.#instances.length)) {
      const endsAt = performance.now() + MOST_WARMUP_MS;
      const times: number[] = [];
      while (!signal.aborted && !isSteady(times) && performance.now() < endsAt) {
        const { lastByteMs } = await probe.exchange(path, expected);
        if (lastByteMs === null) return false;
        times.push(lastByteMs);
      }
      steady &&= isSteady(times);
    }
    return steady;
  }

  /**
   * Opens so many connections, by an exchange on each. A busy server takes new ones so late that lanes which open theirs under
   * load are starved, and the others find it less busy than it is. Servers close idle ones, so this is for every stage.
   */
  async open(count: number, path: string, expected: Expectation): Promise<void> {
    await Promise.all(this.lanes(count).map((probe) => probe.exchange(path, expected)));
  }

  /**
   * Whether every instance still answers with the verified body. Between stages: it hashes.
   *
   * @returns what is wrong, or null.
   */
  async prove(path: string, expected: Expectation): Promise<string | null> {
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.lanes(this.#instances.length)) {
      let error = await this.#wrongWith(probe, path, expected);
      while (error?.kind === "connection" && performance.now() < recoversBy) {
        await delay(TRY_AGAIN_MS);
        error = await this.#wrongWith(probe, path, expected);
      }
      if (error !== null) return `${error.kind}: ${error.detail}`;
    }
    return null;
  }

  async #wrongWith(probe: Probe, path: string, expected: Expectation): Promise<ExchangeError | null> {
    const exchange = await probe.exchange(path, expected, { body: true });
    checkDigest(exchange, expected);
    return exchange.error;
  }

  /** What the system accounts to all its processes; null where it does not tell. */
  async account(): Promise<ProcessAccount | null> {
    const accounts = await Promise.all(this.#instances.map((instance) => instance.account()));
    return accounts.reduce((sum, one) => (sum === null || one === null ? null : added(sum, one)));
  }

  /** All processes that serve. */
  pids(): readonly number[] {
    return this.#instances.flatMap((instance) => instance.pids());
  }

  /** Why one of its hosts ended by itself, or null. */
  async causeOfDeath(): Promise<string | null> {
    const causes = await Promise.all(this.#instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  /** Ends exchanges under way, too. */
  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.#instances.map((instance) => instance.stop()));
  }

  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}

function added(one: ProcessAccount, other: ProcessAccount): ProcessAccount {
  return {
    pids: [...one.pids, ...other.pids],
    cpuMs: one.cpuMs + other.cpuMs,
    userMs: addTold(one.userMs, other.userMs),
    systemMs: addTold(one.systemMs, other.systemMs),
    residentBytes: one.residentBytes + other.residentBytes,
    peakResidentBytes: addTold(one.peakResidentBytes, other.peakResidentBytes),
  };
}

function addTold(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}
