import { join } from "node:path";
import {
  type Host,
  type ServiceAddresses,
  type ServiceId,
  serviceVariable,
  UserError,
} from "@evenbench/core";
import { serverEnvironment, startAll, startHost } from "../index.ts";
import { findService, howToInstall } from "./discover.ts";

/** Services that are up. They end with `await using`, or with this process, however that ends. */
export interface RunningServices extends AsyncDisposable {
  readonly addresses: ServiceAddresses;
  /** Variables that tell served programs where the services are. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A service that a case needs and that cannot be started here. */
export class ServiceError extends UserError {}

export interface StartServicesOptions {
  readonly logFolder: string;
  /** CPU list for taskset, or null. */
  readonly cores: string | null;
}

/** Starts each service once, on a free loopback port. */
export async function startServices(
  ids: readonly ServiceId[],
  options: StartServicesOptions,
): Promise<RunningServices> {
  const distinct = [...new Set(ids)];
  const hosts = await startAll(
    distinct.map((id) => () => startService(id, options)),
    (host) => host.stop(),
    ([first]) => first?.reason,
  );
  const addresses = hosts.map(
    (host, index) => [distinct[index] as ServiceId, new URL(host.url).host] as const,
  );
  return {
    addresses: Object.fromEntries(addresses),
    environment: Object.fromEntries(addresses.map(([id, address]) => [serviceVariable(id), address])),
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host.stop()));
    },
  };
}

async function startService(id: ServiceId, { logFolder, cores }: StartServicesOptions): Promise<Host> {
  const service = await findService(id);
  const { path } = service;
  if (path === null) throw new ServiceError(howToInstall(service));
  return startHost({
    name: id,
    port: 0,
    logFile: join(logFolder, `${id}.log`),
    cores,
    readiness: service.readiness,
    command: (port) => ({ ...service.command(path, port), env: serverEnvironment() }),
  });
}
