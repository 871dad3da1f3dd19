import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  assertId,
  type Host,
  type ServiceAddresses,
  type ServiceId,
  serviceVariable,
  UserError,
} from "@evenbench/core";
import { type HostCommand, type Readiness, serverEnvironment, startAll, startHost } from "../index.ts";

/** Its id is the name of its folder. */
export interface ServiceDefinition {
  readonly title: string;
  readonly program: string;
  readonly install: string;
  /** On a loopback port, and on nothing else. */
  command(program: string, port: number): Pick<HostCommand, "file" | "args">;
  readonly readiness: Readiness;
}

/** Declares a service: `packages/host/src/services/<id>/service.ts` has it as its default export. */
export function defineService(definition: ServiceDefinition): ServiceDefinition {
  return definition;
}

export interface RunningServices extends AsyncDisposable {
  readonly addresses: ServiceAddresses;
  readonly environment: Readonly<Record<string, string>>;
}

export class ServiceError extends UserError {}

export interface StartServicesOptions {
  readonly logFolder: string;
  readonly cores: string | null;
}

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

export interface FoundService extends ServiceDefinition {
  readonly id: ServiceId;
  readonly path: string | null;
}

export async function findService(id: ServiceId): Promise<FoundService> {
  assertId(id, "Service");
  const file = join(import.meta.dirname, id, "service.ts");
  const { default: definition }: { default?: ServiceDefinition } = await import(
    pathToFileURL(file).href
  ).catch(() => ({}));
  if (definition === undefined) throw new TypeError(`There is no service "${id}": ${file} cannot be loaded.`);
  return { ...definition, id, path: await findProgram(definition.program) };
}

export async function missingServices(ids: readonly ServiceId[]): Promise<readonly FoundService[]> {
  const found = await Promise.all([...new Set(ids)].map(findService));
  return found.filter(({ path }) => path === null);
}

/** "memcached is not installed. Install it with: apt-get install memcached" */
export function howToInstall({ program, install }: ServiceDefinition): string {
  return `${program} is not installed. Install it with: ${install}`;
}

export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = resolve(folder, name);
    if (folder !== "" && (await isExecutable(path))) return path;
  }
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
