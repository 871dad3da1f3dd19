import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Host,
  type Identity,
  messageOf,
  type NodeProgram,
  quotesOf,
  type Reason,
  type ServiceId,
} from "@evenbench/core";
import { accountant, type ProcessAccount, quoteLog, scratchFolder, startAll } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import { createProbe, EXCHANGE_TIMEOUT_MS, type Probe } from "@evenbench/probe";
import { fetchIdentity } from "@evenbench/probe/preflight";
import { type CpuWatch, watchCpu } from "./cpu-watch.ts";
import { type LocalTarget, PartError, RunError, type Target } from "./options.ts";
import type { MeasuredTarget } from "./targets.ts";

/** How a session starts instances. */
export interface InstanceSettings {
  /** Number of processes that serve one target. */
  readonly workers: number;
  /** The cores that servers run on, as taskset names them; null: all. */
  readonly cores: string | null;
  /** Absolute path of the folder for the servers' logs. */
  readonly logFolder: string;
  /** Longest time of an exchange, in milliseconds. */
  readonly exchangeTimeoutMs: number;
  /** Variables that servers get besides their own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The Node.js that serves, on platforms that are one. Default: the one that runs Evenbench. */
  readonly nodeProgram?: NodeProgram | undefined;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** A fresh instance of a target: its processes, or, of a URL, one fresh connection to it. */
export interface Instance {
  readonly url: string;
  /** The instance's first connection. */
  readonly probe: Probe;
  /** Opens a further connection; who opens it closes it. */
  connect(): Probe;
  /** Ids of its processes; none where it runs elsewhere. */
  pids(): readonly number[];
  /** Watches what exchanges cost its processes. */
  readonly cpu: CpuWatch;
  /** Number of bytes that it wrote to its log; 0 where it runs elsewhere. */
  loggedBytes(): number;
  /** Resolves to what its processes used since their start; null where the system does not say. */
  account(): Promise<ProcessAccount | null>;
  /**
   * Resolves to the reason for which its host died; null where it lives, or runs elsewhere. Takes up to half
   * a second.
   */
  causeOfDeath(): Promise<Reason | null>;
  /** Closes its first connection, and ends its processes. */
  stop(): Promise<void>;
}

/** Time until the exit of a process is known, in milliseconds: its socket reports its death before that. */
const DEATH_NOTICE_MS = 500;

/** Gives the absolute path of a server's log. */
export function logFileIn(folder: string, logName: string): string {
  return join(folder, `${logName}.log`);
}

/** Starts the server of a local target. It rejects if the server does not start. */
export function serveLocal(target: LocalTarget, logName: string, settings: InstanceSettings): Promise<Host> {
  return target.platform.serve({
    deployable: target.deployable,
    port: 0,
    logFile: logFileIn(settings.logFolder, logName),
    cores: settings.cores,
    workers: settings.workers,
    v8Flags: [],
    nodeProgram: settings.nodeProgram,
    environment: settings.environment ?? {},
    signal: settings.signal,
  });
}

/**
 * Starts the servers of all targets side by side; null stands for a URL, which has none to start.
 *
 * @param explain gives the error's text from the reasons, one a line.
 * @throws {PartError} if one does not start; the others are stopped then.
 */
export function startHosts(
  targets: readonly Target[],
  settings: InstanceSettings,
  explain: (reasons: string) => string,
): Promise<(Host | null)[]> {
  const names = targets.map(({ name }) => name);
  return startAll(
    targets.map((target) => async () => {
      return target.place === "local" ? serveLocal(target, target.name, settings) : null;
    }),
    async (host) => host?.stop(),
    (reasons) => {
      const failed = new Map(
        [...reasons].map(([index, reason]) => {
          const name = names[index] ?? "";
          return [name, { message: `${name}: ${messageOf(reason)}`, quotes: quotesOf(reason) }] as const;
        }),
      );
      const many = `${failed.size} of ${names.length} targets did not start.`;
      const part = { targets: failed, cases: new Map(), code: "not-started" } as const;
      const all = [...failed.values()];
      const message = explain([many, ...all.map((each) => each.message)].join("\n"));
      return new PartError({ message, quotes: all.flatMap(({ quotes }) => quotes) }, part);
    },
  );
}

/**
 * Opens a connection to a target at this URL.
 *
 * @param timeoutMs longest time of an exchange, in milliseconds.
 */
export function probeOf(target: Target, url: string, timeoutMs: number): Probe {
  return createProbe(url, { timeoutMs, token: target.token, request: target.ownServer?.request });
}

/** Starts an instance. @throws {Error} if it does not start, or its settings are not those of preflight. */
export async function startInstance(
  { name, target }: MeasuredTarget,
  verified: Identity,
  settings: InstanceSettings,
): Promise<Instance> {
  const { exchangeTimeoutMs: timeoutMs, signal } = settings;
  const host = target.place === "local" ? await serveLocal(target, name, settings) : null;
  const url = host?.url ?? (target.place === "url" ? target.url : "");
  try {
    if (target.ownServer === undefined) {
      assertSamePins(name, verified, await fetchIdentity(url, { timeoutMs, token: target.token, signal }));
    }
  } catch (error) {
    await host?.stop();
    throw error;
  }
  const connect = () => probeOf(target, url, timeoutMs);
  const pids = () => host?.pids() ?? [];
  const probe = connect();
  return {
    url,
    probe,
    connect,
    pids,
    cpu: watchCpu(pids),
    loggedBytes: () => host?.loggedBytes?.() ?? 0,
    account: () => accountant.read(pids()),
    async causeOfDeath(): Promise<Reason | null> {
      return host === null ? null : describeDeath(host);
    },
    async stop() {
      await probe.close();
      await host?.stop();
    },
  };
}

/** Resolves to how a host ended by itself, with the end of its log; null where it still runs half a second later. */
export function describeDeath(host: Host): Promise<Reason | null> {
  return Promise.race([host.died, delay(DEATH_NOTICE_MS, null, { ref: false })]);
}

/**
 * Says that a process ended whose host lives on, and starts another one; null where all that served still do.
 *
 * @param before ids of the processes that served.
 * @param now ids of those that serve.
 */
export function describeReplaced(
  before: readonly number[],
  now: readonly number[],
  logFile: string,
): Reason | null {
  const ended = before.filter((pid) => !now.includes(pid));
  const message = `Its process (${ended.join(", ")}) ended by itself, and was replaced: its log says how it ended.`;
  return ended.length === 0 ? null : { message, quotes: [quoteLog(logFile)] };
}

/** @throws {RunError} where a setting is another one than in preflight. */
function assertSamePins(name: string, verified: Identity, identity: Identity): void {
  for (const pin of new Set([...Object.keys(verified.pins), ...Object.keys(identity.pins)])) {
    const then = verified.pins[pin] ?? "(not given)";
    const now = identity.pins[pin] ?? "(not given)";
    if (then === now) {
      continue;
    }
    throw new RunError(
      `The setting "${pin}" of ${name} was "${then}" in preflight and is "${now}" now. Do not build or deploy during a run.`,
    );
  }
}

/** A target that `startTargets` serves. */
export interface ServedTarget {
  readonly name: string;
  /** Id of its app. */
  readonly app: string;
  /** Id of its platform. */
  readonly platform: string;
  readonly url: string;
  /** Ids of its processes. */
  readonly pids: readonly number[];
  /** Absolute path of its log. */
  readonly logFile: string;
}

/** Targets that are served until they are stopped. */
export interface ServedTargets {
  /** All of them, as they are at present. */
  targets(): readonly ServedTarget[];
  /** Resolves once the first of them ends by itself, to its name and the reason. */
  readonly died: Promise<Reason>;
  /**
   * Stops all of them, and removes their logs. Safe to call twice.
   *
   * @param keepLogs whether their logs stay. Default: only if one of them ended by itself.
   */
  stop(keepLogs?: boolean): Promise<void>;
}

/** How targets are served. */
export interface ServeSettings {
  /** Number of processes for each target. Default: 1. */
  readonly workers?: number;
  /** Services that the targets need. Default: none. */
  readonly services?: readonly ServiceId[];
  /** Ends a start that is under way. Default: it goes on until a target is ready or late. */
  readonly signal?: AbortSignal;
}

/**
 * Starts local targets, and keeps them up. Their logs are in a temporary folder, which stays until this
 * process ends if a target does not start by itself.
 *
 * @throws {RunError} naming each target that did not start; the others are stopped then.
 */
export async function startTargets(
  targets: readonly LocalTarget[],
  { workers = 1, services: ids = [], signal }: ServeSettings = {},
): Promise<ServedTargets> {
  const logs = await scratchFolder("serve");
  const place = { logFolder: logs.path, cores: null };
  const services = await startServices(ids, place).catch(async (error: unknown) => {
    await logs[Symbol.asyncDispose]();
    throw error;
  });
  const { environment } = services;
  const settings = { ...place, workers, environment, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, signal };
  const starting = startHosts(targets, settings, (reasons) => reasons);
  const hosts = (await starting.catch(async (error: unknown) => {
    await services[Symbol.asyncDispose]();
    // Otherwise the logs stay: they say why.
    if (signal?.aborted === true) {
      await logs[Symbol.asyncDispose]();
    }
    throw error;
  })) as Host[];
  let someDied = false;
  const died = Promise.race(
    hosts.map(async (host, index) => {
      const { message, quotes } = await host.died;
      someDied = true;
      return { message: `${targets[index]?.name}: ${message}`, quotes };
    }),
  );
  return {
    died,
    targets: () =>
      targets.map(({ name, app, platform }, index) => {
        const { url, pids } = hosts[index] as Host;
        const logFile = logFileIn(place.logFolder, name);
        return { name, app: app.id, platform: platform.id, url, pids: pids(), logFile };
      }),
    async stop(keepLogs = false) {
      await Promise.all(hosts.map((host) => host.stop()));
      await services[Symbol.asyncDispose]();
      if (!someDied && !keepLogs) {
        await logs[Symbol.asyncDispose]();
      }
    },
  };
}
