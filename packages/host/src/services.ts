import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { type ServiceAddresses, type ServiceId, serviceVariable, UserError } from "@evenbench/core";
import { serverEnvironment } from "./environment.ts";
import { LOOPBACK } from "./loopback.ts";
import { takesConnections } from "./readiness.ts";
import { startAll, startHost } from "./start-host.ts";

/** A service that cases talk to. */
interface Service {
  /** The command that installs it. */
  readonly install: string;
  /** Gives the arguments by which it listens on a loopback port, and on nothing else. */
  args(port: number): readonly string[];
}

/** All services, by the names of their programs. */
const SERVICES: Readonly<Record<ServiceId, Service>> = {
  memcached: {
    install: "apt-get install memcached",
    args(port) {
      // It refuses to run as root without being told as whom instead.
      const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
      return ["-l", LOOPBACK, "-p", String(port), "-U", "0", "-c", "2048", ...user];
    },
  },
};

/** Services that run until they are disposed of. */
export interface RunningServices extends AsyncDisposable {
  /** Addresses of the services, as "host:port", by id. */
  readonly addresses: ServiceAddresses;
  /** The addresses as variables for servers. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts services side by side: all, or none. @throws {UserError} where one is not installed, with how it is. */
export async function startServices(
  ids: readonly ServiceId[],
  { logFolder, cores }: { readonly logFolder: string; readonly cores: string | null },
): Promise<RunningServices> {
  const start = async (id: ServiceId) => {
    const file = await findProgram(id);
    if (file === null) {
      throw new UserError(howToInstall(id));
    }
    const host = await startHost({
      name: id,
      port: 0,
      cores,
      logFile: join(logFolder, `${id}.log`),
      readiness: takesConnections(),
      command: (port) => ({ file, args: serviceOf(id).args(port), env: serverEnvironment() }),
    });
    return { id, host };
  };
  const starts = [...new Set(ids)].map((id) => () => start(id));
  const started = await startAll(starts, ({ host }) => host.stop());
  const addresses = started.map(({ id, host }) => [id, new URL(host.url).host] as const);
  return {
    addresses: Object.fromEntries(addresses),
    environment: Object.fromEntries(addresses.map(([id, address]) => [serviceVariable(id), address])),
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(started.map(({ host }) => host.stop()));
    },
  };
}

/** @throws {TypeError} for the name of no service. */
function serviceOf(id: ServiceId): Service {
  const service = SERVICES[id];
  if (service === undefined) {
    throw new TypeError(`There is no service "${id}". There is ${Object.keys(SERVICES).join(", ")}.`);
  }
  return service;
}

function howToInstall(id: ServiceId): string {
  return `${id} is not installed. Install it with: ${serviceOf(id).install}`;
}

/** Finds which of some services are not installed, each with a line that says how it is. */
export async function missingServices(
  ids: readonly ServiceId[],
): Promise<readonly { readonly id: ServiceId; readonly missing: string }[]> {
  const found = [...new Set(ids)].map(async (id) => {
    return { id, missing: howToInstall(id), path: await findProgram(id) };
  });
  return (await Promise.all(found)).filter(({ path }) => path === null);
}

/** Finds a program in the folders of PATH; null where there is none. */
export async function findProgram(name: string): Promise<string | null> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = folders.flatMap((folder) => ENDINGS.map((ending) => resolve(folder, name + ending)));
  for (const path of paths) {
    const isExecutable = access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (await isExecutable) {
      return path;
    }
  }
  return null;
}

/** Endings of a program's file. */
const ENDINGS = process.platform === "win32" ? ["", ".cmd", ".exe"] : [""];
