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
    const { args, path, missing } = await findService(id);
    if (path === null) {
      throw new UserError(missing);
    }
    const host = await startHost({
      name: id,
      port: 0,
      cores,
      logFile: join(logFolder, `${id}.log`),
      readiness: takesConnections(),
      command: (port) => ({ file: path, args: args(port), env: serverEnvironment() }),
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

/** A service, and whether it is installed. */
export interface FoundService {
  readonly id: ServiceId;
  readonly args: Service["args"];
  /** Absolute path of its program; null where it is not installed. */
  readonly path: string | null;
  /** A line with the command that installs it. */
  readonly missing: string;
}

/** Finds a service by its id. @throws {TypeError} for the name of no service. */
async function findService(id: ServiceId): Promise<FoundService> {
  const service = SERVICES[id];
  if (service === undefined) {
    throw new TypeError(`There is no service "${id}". There is ${Object.keys(SERVICES).join(", ")}.`);
  }
  const missing = `${id} is not installed. Install it with: ${service.install}`;
  return { id, args: service.args, path: await findProgram(id), missing };
}

/** Finds which of some services are not installed. */
export async function missingServices(ids: readonly ServiceId[]): Promise<FoundService[]> {
  const found = await Promise.all([...new Set(ids)].map(findService));
  return found.filter(({ path }) => path === null);
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
