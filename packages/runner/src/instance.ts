import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Host, type Identity, messageOf, type ServiceId } from "@evenbench/core";
import { accountant, type CoreGauge, exchangeMeter, scratchFolder, startAll } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import { createProbe, EXCHANGE_TIMEOUT_MS, type Gauged, type Probe } from "@evenbench/probe";
import { fetchIdentity } from "@evenbench/probe/preflight";
import { type LocalTarget, RunError, type Target } from "./options.ts";
import type { MeasuredTarget } from "./targets.ts";

export interface InstanceSettings {
  readonly workers: number;
  readonly cores: string | null;
  readonly logFolder: string;
  readonly exchangeTimeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly gauge?: CoreGauge;
  readonly signal?: AbortSignal | undefined;
}

export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** The socket reports a death some milliseconds before the process's exit is known. */
const NEWS_OF_DEATH_MS = 500;

export function logFileIn(folder: string, logName: string): string {
  return join(folder, `${logName}.log`);
}

export function serveLocal(target: LocalTarget, logName: string, settings: InstanceSettings): Promise<Host> {
  return target.platform.serve({
    deployable: target.deployable,
    port: 0,
    logFile: logFileIn(settings.logFolder, logName),
    cores: settings.cores,
    workers: settings.workers,
    v8Flags: [],
    environment: settings.environment ?? {},
    signal: settings.signal,
  });
}

/** There are all, or none; null for a URL. @throws {RunError} */
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
      const lines = [...reasons].map(([index, reason]) => `${names[index]}: ${messageOf(reason)}`);
      const many = `${lines.length} of ${names.length} targets did not start.`;
      return new RunError(explain([many, ...lines].join("\n")));
    },
  );
}

export function probeOf(target: Target, url: string, timeoutMs: number): Probe {
  return createProbe(url, { timeoutMs, token: target.token, request: target.ownServer?.request });
}

/** @throws {Error} when it does not start, or its pins are not those of preflight. */
export async function startInstance(
  { name, target }: MeasuredTarget,
  verified: Identity,
  settings: InstanceSettings,
) {
  const host = target.place === "local" ? await serveLocal(target, name, settings) : null;
  const url = host?.url ?? (target.place === "url" ? target.url : "");
  try {
    if (target.ownServer === undefined) {
      const { exchangeTimeoutMs: timeoutMs, signal } = settings;
      assertSamePins(name, verified, await fetchIdentity(url, { timeoutMs, token: target.token, signal }));
    }
  } catch (error) {
    await host?.stop();
    throw error;
  }
  const connect = () => probeOf(target, url, settings.exchangeTimeoutMs);
  const pids = () => host?.pids() ?? [];
  const probe = connect();
  const readMeter = exchangeMeter(pids);
  let lastCore: number | null = null;
  return {
    url,
    probe,
    connect,
    pids,
    readCost() {
      const { core, ...cost } = readMeter();
      lastCore = core ?? lastCore;
      return cost;
    },
    /** Between rounds: starts what gauges the core that it ran on last. */
    async prepareGauge(): Promise<void> {
      if (lastCore !== null) {
        await settings.gauge?.prepare(lastCore);
      }
    },
    async gauge(): Promise<Gauged | null> {
      const core = lastCore;
      const ms = core === null ? null : ((await settings.gauge?.on(core)) ?? null);
      return core === null || ms === null ? null : { core, ms };
    },
    account: () => accountant.read(pids()),
    async causeOfDeath(): Promise<string | null> {
      return host === null ? null : newsOfDeath(host);
    },
    async stop() {
      await probe.close();
      await host?.stop();
    },
  };
}

/** How a host ended by itself, with the end of its log; null where it goes on. */
export function newsOfDeath(host: Host): Promise<string | null> {
  return Promise.race([host.died, delay(NEWS_OF_DEATH_MS, null, { ref: false })]);
}

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

export type ServedTargets = Awaited<ReturnType<typeof startTargets>>;
export type ServedTarget = ReturnType<ServedTargets["targets"]>[number];

/**
 * Its logs are in a temporary folder, which a stop without a failure before it removes.
 *
 * @throws {RunError} naming each target that did not start; the others are stopped then.
 */
export async function startTargets(
  targets: readonly LocalTarget[],
  {
    workers = 1,
    services: ids = [],
  }: { readonly workers?: number; readonly services?: readonly ServiceId[] } = {},
) {
  const place = { logFolder: await scratchFolder("serve"), cores: null };
  const removeLogs = () => rm(place.logFolder, { recursive: true, force: true });
  const services = await startServices(ids, place).catch(async (error: unknown) => {
    await removeLogs();
    throw error;
  });
  const { environment } = services;
  const settings = { ...place, workers, environment, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS };
  const starting = startHosts(targets, settings, (reasons) => reasons);
  const hosts = (await starting.catch(async (error: unknown) => {
    // The logs stay: they say why.
    await services[Symbol.asyncDispose]();
    throw error;
  })) as Host[];
  let someDied = false;
  const died = Promise.race(
    hosts.map(async (host, index) => {
      const reason = await host.died;
      someDied = true;
      return `${targets[index]?.name}: ${reason}`;
    }),
  );
  return {
    targets: () =>
      targets.map(({ name, app, platform }, index) => {
        const { url, pids } = hosts[index] as Host;
        const logFile = logFileIn(place.logFolder, name);
        return { name, app: app.id, platform: platform.id, url, pids: pids(), logFile };
      }),
    died,
    /** Safe to call twice. @param keepLogs default: where a host ended by itself. */
    async stop(keepLogs = false) {
      await Promise.all(hosts.map((host) => host.stop()));
      await services[Symbol.asyncDispose]();
      if (!someDied && !keepLogs) {
        await removeLogs();
      }
    },
  };
}
