import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host, PlatformId, ServiceId } from "@evenbench/core";
import { startServices } from "@evenbench/services";
import { serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";

/** A local target that is up. */
export interface ServedTarget {
  readonly name: string;
  readonly app: string;
  readonly platform: PlatformId;
  readonly url: string;
  /** Processes that serve requests now. */
  readonly pids: readonly number[];
}

export interface ServedTargets {
  targets(): ServedTarget[];
  /** Resolves with the reason when a host ended by itself. */
  readonly died: Promise<string>;
  /** Ends them all; resolves when they are gone. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServeTargetsOptions {
  /** Default 1; Infinity: one for each core. */
  readonly workers?: number;
  /** What the targets' cases talk to. Default: nothing. */
  readonly services?: readonly ServiceId[];
  /** Takes the hosts' output. Default: a new folder in the system's folder for temporary files. */
  readonly logFolder?: string;
}

/**
 * Starts a host for each target and keeps them up. All cores are theirs: nothing is measured here.
 *
 * @throws {RunError} naming each target that did not start; the others are stopped then.
 */
export async function serveTargets(
  targets: readonly LocalTarget[],
  options: ServeTargetsOptions = {},
): Promise<ServedTargets> {
  const logFolder = options.logFolder ?? (await mkdtemp(join(tmpdir(), "evenbench-serve-")));
  const services = await startServices(options.services ?? [], { logFolder, cores: null });
  const { environment } = services;
  const settings = {
    workers: options.workers ?? 1,
    cores: null,
    logFolder,
    exchangeTimeoutMs: 30_000,
    environment,
  };
  const starts = await Promise.allSettled(targets.map((target) => serveLocal(target, target.name, settings)));
  const hosts: { target: LocalTarget; host: Host }[] = [];
  const failures: string[] = [];
  for (const [index, start] of starts.entries()) {
    const target = targets[index] as LocalTarget;
    if (start.status === "fulfilled") hosts.push({ target, host: start.value });
    else
      failures.push(`${target.name}: ${start.reason instanceof Error ? start.reason.message : start.reason}`);
  }
  const stop = async (): Promise<void> => {
    await Promise.all(hosts.map(({ host }) => host.stop()));
    await services[Symbol.asyncDispose]();
  };
  if (failures.length > 0) {
    await stop();
    throw new RunError(
      `${failures.length} of ${targets.length} targets did not start.\n${failures.join("\n")}`,
    );
  }
  return {
    targets: () =>
      hosts.map(({ target, host }) => ({
        name: target.name,
        app: target.app.id,
        platform: target.platform.id,
        url: host.url,
        pids: host.pids(),
      })),
    died: Promise.race(
      hosts.map(({ target, host }) => host.died.then((reason) => `${target.name}: ${reason}`)),
    ),
    stop,
  };
}
