import { rm } from "node:fs/promises";
import type { Host, PlatformId, ServiceId } from "@evenbench/core";
import { scratchFolder } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { logFileIn, startHosts } from "./instance.ts";
import type { LocalTarget } from "./options.ts";

export interface ServedTarget {
  readonly name: string;
  readonly app: string;
  readonly platform: PlatformId;
  readonly url: string;
  readonly pids: readonly number[];
  readonly logFile: string;
}

export interface ServedTargets {
  targets(): ServedTarget[];
  readonly died: Promise<string>;
  /** Safe to call twice. @param keepLogs default: where a host ended by itself. */
  stop(keepLogs?: boolean): Promise<void>;
}

export interface StartTargetsOptions {
  /** Default 1. */
  readonly workers?: number;
  /** Default: none. */
  readonly services?: readonly ServiceId[];
  /** Default: a temporary folder, which a stop without a failure before it removes. */
  readonly logFolder?: string;
}

/** @throws {RunError} naming each target that did not start; the others are stopped then. */
export async function startTargets(
  targets: readonly LocalTarget[],
  options: StartTargetsOptions = {},
): Promise<ServedTargets> {
  const logFolder = options.logFolder ?? (await scratchFolder("serve"));
  const services = await startServices(options.services ?? [], { logFolder, cores: null });
  const { environment } = services;
  const settings = { workers: options.workers ?? 1, cores: null, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS };
  const starting = startHosts(targets, { ...settings, logFolder, environment }, (reasons) => reasons);
  const hosts = (await starting.catch(async (error: unknown) => {
    // The logs stay: they say why.
    await services[Symbol.asyncDispose]();
    throw error;
  })) as Host[];
  const died = Promise.race(
    hosts.map((host, index) => host.died.then((reason) => `${targets[index]?.name}: ${reason}`)),
  );
  let someDied = false;
  void died.then(() => {
    someDied = true;
  });
  return {
    targets: () =>
      targets.map(({ name, app, platform }, index) => {
        const { url, pids } = hosts[index] as Host;
        const logFile = logFileIn(logFolder, name);
        return { name, app: app.id, platform: platform.id, url, pids: pids(), logFile };
      }),
    died,
    async stop(keepLogs = false) {
      await Promise.all(hosts.map((host) => host.stop()));
      await services[Symbol.asyncDispose]();
      const keepsLogs = options.logFolder !== undefined || someDied || keepLogs;
      if (!keepsLogs) await rm(logFolder, { recursive: true, force: true });
    },
  };
}
