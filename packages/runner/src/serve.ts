import { rm } from "node:fs/promises";
import type { Host, PlatformId, ServiceId } from "@evenbench/core";
import { describeFailedStarts, scratchFolder, startAll } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { type InstanceSettings, logFileIn, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";

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
  /** What the targets' cases talk to. Default: nothing. */
  readonly services?: readonly ServiceId[];
  /**
   * Takes the hosts' output. Default: a new folder for temporary files, which a stop without a failure before
   * it removes.
   */
  readonly logFolder?: string;
}

/**
 * All cores are theirs: nothing is measured here. @throws {RunError} naming each target that did not start;
 * the others are stopped then.
 */
export async function startTargets(
  targets: readonly LocalTarget[],
  options: StartTargetsOptions = {},
): Promise<ServedTargets> {
  const logFolder = options.logFolder ?? (await scratchFolder("serve"));
  const services = await startServices(options.services ?? [], { logFolder, cores: null });
  const { environment } = services;
  const settings = { ...SETTINGS, workers: options.workers ?? 1, logFolder, environment };
  let hosts: readonly Host[];
  try {
    hosts = await startHosts(targets, settings);
  } catch (error) {
    // The logs stay: they say why.
    await services[Symbol.asyncDispose]();
    throw error;
  }
  const died = Promise.race(
    hosts.map((host, index) => host.died.then((reason) => `${targets[index]?.name}: ${reason}`)),
  );
  let someDied = false;
  void died.then(() => {
    someDied = true;
  });
  return {
    targets: () => targets.map((target, index) => servedTarget(target, hosts[index] as Host, logFolder)),
    died,
    async stop(keepLogs = false) {
      await Promise.all(hosts.map((host) => host.stop()));
      await services[Symbol.asyncDispose]();
      const keepsLogs = options.logFolder !== undefined || someDied || keepLogs;
      if (!keepsLogs) await rm(logFolder, { recursive: true, force: true });
    },
  };
}

const SETTINGS = { cores: null, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS };

function startHosts(targets: readonly LocalTarget[], settings: InstanceSettings): Promise<Host[]> {
  const names = targets.map(({ name }) => name);
  return startAll(
    targets.map((target) => () => serveLocal(target, target.name, settings)),
    (host) => host.stop(),
    (failed) => new RunError(describeFailedStarts(failed, names, "targets")),
  );
}

function servedTarget(target: LocalTarget, host: Host, logFolder: string): ServedTarget {
  return {
    name: target.name,
    app: target.app.id,
    platform: target.platform.id,
    url: host.url,
    pids: host.pids(),
    logFile: logFileIn(logFolder, target.name),
  };
}
