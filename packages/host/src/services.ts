import { once } from "node:events";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Host,
  messageOf,
  type ServiceAddresses,
  type ServiceId,
  serviceVariable,
  UserError,
} from "@evenbench/core";
import { LOOPBACK } from "./loopback.ts";
import { serverEnvironment, startAll, startHost } from "./start-host.ts";
import type { Readiness } from "./supervised.ts";

interface Service {
  readonly program: string;
  readonly install: string;
  /** On a loopback port, and on nothing else. */
  args(port: number): readonly string[];
  readonly readiness: Readiness;
}

const SERVICES: Readonly<Record<ServiceId, Service>> = {
  memcached: {
    program: "memcached",
    install: "apt-get install memcached",
    args(port) {
      // It refuses to run as root without being told as whom instead.
      const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
      return ["-l", LOOPBACK, "-p", String(port), "-U", "0", "-c", "2048", ...user];
    },
    readiness: { what: ' (its command "version")', wait: memcachedAnswers },
  },
};

export interface RunningServices extends AsyncDisposable {
  readonly addresses: ServiceAddresses;
  readonly environment: Readonly<Record<string, string>>;
}

export async function startServices(
  ids: readonly ServiceId[],
  place: { readonly logFolder: string; readonly cores: string | null },
): Promise<RunningServices> {
  const distinct = [...new Set(ids)];
  const hosts = await startAll(
    distinct.map((id) => () => startService(id, place)),
    (host) => host.stop(),
    ([first]) => first?.reason,
  );
  const addresses = hosts.map(({ url }, index) => [distinct[index] as ServiceId, new URL(url).host] as const);
  return {
    addresses: Object.fromEntries(addresses),
    environment: Object.fromEntries(addresses.map(([id, address]) => [serviceVariable(id), address])),
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host.stop()));
    },
  };
}

async function startService(
  id: ServiceId,
  { logFolder, cores }: Parameters<typeof startServices>[1],
): Promise<Host> {
  const service = await findService(id);
  const { path } = service;
  if (path === null) throw new UserError(howToInstall(service));
  return startHost({
    name: id,
    port: 0,
    logFile: join(logFolder, `${id}.log`),
    cores,
    readiness: service.readiness,
    command: (port) => ({ file: path, args: service.args(port), env: serverEnvironment() }),
  });
}

export async function findService(id: ServiceId) {
  const service = SERVICES[id];
  if (service === undefined)
    throw new TypeError(`There is no service "${id}". There is ${Object.keys(SERVICES).join(", ")}.`);
  return { ...service, id, path: await findProgram(service.program) };
}

export async function missingServices(ids: readonly ServiceId[]) {
  const found = await Promise.all([...new Set(ids)].map(findService));
  return found.filter(({ path }) => path === null);
}

/** "memcached is not installed. Install it with: apt-get install memcached" */
export function howToInstall({ program, install }: Pick<Service, "program" | "install">): string {
  return `${program} is not installed. Install it with: ${install}`;
}

export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = resolve(folder, name);
    const isExecutable = access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && (await isExecutable)) return path;
  }
  return null;
}

const ASK_EVERY_MS = 20;
const ANSWERS_WITHIN_MS = 2000;

async function memcachedAnswers(url: string, signal: AbortSignal): Promise<string | null> {
  let seen = "no answer yet";
  while (!signal.aborted) {
    const socket = connect({ port: Number(new URL(url).port), host: LOOPBACK });
    try {
      socket.write("version\r\n");
      const [answer] = await once(socket, "data", { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
      seen = String(answer).trim();
    } catch (error) {
      seen = (error as NodeJS.ErrnoException).name === "AbortError" ? "no answer" : messageOf(error);
    } finally {
      socket.destroy();
    }
    if (seen.startsWith("VERSION ")) return null;
    await delay(ASK_EVERY_MS);
  }
  return seen;
}
