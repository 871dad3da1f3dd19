import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { ACCESS_VARIABLE, type Host, OPEN_ACCESS, type ServeOptions, TOKEN_VARIABLE } from "@evenbench/core";
import { confinedCommand } from "./cores.ts";
import { openLog } from "./host-log.ts";
import { HostError, LOOPBACK } from "./loopback.ts";
import type { HostCommand } from "./protocol.ts";
import { answers, answersIdentity, type NotReady, type Readiness, takesConnections } from "./readiness.ts";
import { startServer } from "./server-process.ts";

/**
 * Makes the variables that say whom a server serves: everybody (undefined), nobody (null), or the callers with a
 * token.
 */
export function accessVariables(token: string | null | undefined): Record<string, string> {
  if (token === undefined) {
    return { [ACCESS_VARIABLE]: OPEN_ACCESS };
  }
  return token === null ? {} : { [TOKEN_VARIABLE]: token };
}

/** Number of times that a server is started whose free port another process takes. */
const START_ATTEMPTS = 3;

/** A server, and how it is started. */
export interface StartHostOptions
  extends Pick<ServeOptions, "port" | "logFile" | "cores" | "token" | "readyPath" | "startUp" | "signal"> {
  /** The host's name in messages: "node host". */
  readonly name: string;
  /** Makes the command for the port that it gets. */
  command(port: number): HostCommand | Promise<HostCommand>;
  /** Milliseconds within which it has to be ready. Default: 30,000. */
  readonly readyWithinMs?: number;
  /**
   * The sign that it is ready. Default: where a start is measured, it takes connections; else `readyPath` answers; without
   * one, `/identity` answers 200.
   */
  readonly readiness?: Readiness;
  /** What to do, as a sentence, by what keeps it from being ready. Default: nothing is said. */
  readonly remedies?: Partial<Readonly<Record<NotReady["how"], string>>>;
}

/**
 * Starts a server and waits until it is ready. No process of it survives this one, however this one ends.
 *
 * @throws {HostError} where it does not start, with the end of its log.
 */
export async function startHost(options: StartHostOptions): Promise<Host> {
  for (let attempt = 1; ; attempt++) {
    const { name, logFile, cores, readiness = usualReadiness(options), remedies = {} } = options;
    const port = await claimPort(options.port);
    // Before the log is opened: it may fail, and nobody would close that.
    const command = confinedCommand(await options.command(port), cores);
    const log = openLog(name, logFile);
    const host = startServer(name, `http://${LOOPBACK}:${port}`, command, log);
    const failure = await host.ready(readiness, options.readyWithinMs, options.signal);
    releaseClaim(port);
    if (failure === null) {
      return host;
    }
    const quote = log.quote();
    await host.stop();
    // Another process may get a free port before the server has bound it.
    const lostPort = options.port === 0 && !(await isFree(port));
    if (!lostPort || attempt === START_ATTEMPTS) {
      const remedy = remedies[failure.how];
      const next = remedy === undefined ? "" : `\n${remedy}`;
      throw new HostError(`The ${name} did not start: ${failure.message}.${next}`, [quote]);
    }
  }
}

/** Gives the sign that a host is ready where its caller names none. */
function usualReadiness({ token, readyPath, startUp }: StartHostOptions): Readiness {
  if (startUp !== undefined) {
    return takesConnections();
  }
  return readyPath === undefined ? answersIdentity(token) : answers(readyPath);
}

/**
 * The smallest and the largest port that a free one is chosen from. They are below those that systems give to whoever
 * asks for any port: 32,768 and up on Linux, 49,152 and up on macOS and Windows. One of these may become another
 * program's before a server of ours has bound it, and that program would be taken for the server.
 */
const FREE_PORTS = { from: 20_000, to: 32_767 } as const;
/** Number of ports that are tried before none is said to be free. */
const PORT_ATTEMPTS = 1000;

/** The ports that this process has given out, each with its claim until it is released; null from then on. */
const given = new Map<number, Socket | null>();

/**
 * Finds a port of the loopback interface that a server can bind. A free one is anybody's until then, so it is claimed:
 * no other process gets it here until `releaseClaim`, and this one never twice.
 *
 * @param port 0: any free one.
 * @throws {HostError} where the port cannot be used, or none is free.
 */
export async function claimPort(port: number): Promise<number> {
  if (port !== 0) {
    await tryListening(port).catch((error: unknown) => {
      throw portError(port, error as NodeJS.ErrnoException);
    });
    given.set(port, given.get(port) ?? (await claim(port)));
    return port;
  }
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const chosen = randomInt(FREE_PORTS.from, FREE_PORTS.to + 1);
    // Before it is tried: others choose meanwhile.
    const held = given.has(chosen) ? null : await claim(chosen);
    if (held === null) {
      continue;
    }
    given.set(chosen, held);
    if (await isFree(chosen)) {
      return chosen;
    }
    releaseClaim(chosen);
  }
  throw new HostError(
    `No port on ${LOOPBACK} from ${FREE_PORTS.from} to ${FREE_PORTS.to} is free. End servers that are not needed.`,
  );
}

/**
 * Claims a port by binding the one of UDP that has its number: the system gives it to one process, and frees it when
 * that ends. null where another has it.
 *
 * @throws {HostError} where no port can be bound, as with too many open files.
 */
async function claim(port: number): Promise<Socket | null> {
  const socket = createSocket("udp4").unref();
  try {
    socket.bind({ address: LOOPBACK, port, exclusive: true });
    await once(socket, "listening");
    return socket;
  } catch (error) {
    socket.close();
    return ofUnusable(port, error as NodeJS.ErrnoException, null);
  }
}

/** Releases the claim on a port, once its server listens or has failed. */
export function releaseClaim(port: number): void {
  given.get(port)?.close();
  given.set(port, null);
}

/** Tells whether a port can be bound now. @throws {HostError} where none can, as with too many open files. */
function isFree(port: number): Promise<boolean> {
  return tryListening(port).then(
    () => true,
    (error: NodeJS.ErrnoException) => ofUnusable(port, error, false),
  );
}

/** Binds a port for a moment. It rejects with the system's error where that fails. */
function tryListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => server.close(() => resolve()));
  });
}

/** Reasons for which a port cannot be bound, behind "Port 4400 on 127.0.0.1", by code of the error. */
const UNUSABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken: another server listens there",
  EACCES: "may not be used by this user",
};

/** Gives `answer` where another port may do. @throws {HostError} where it may not. */
function ofUnusable<T>(port: number, error: NodeJS.ErrnoException, answer: T): T {
  if (error.code !== undefined && Object.hasOwn(UNUSABLE, error.code)) {
    return answer;
  }
  throw portError(port, error);
}

function portError(port: number, { code = "", message }: NodeJS.ErrnoException): HostError {
  const why = UNUSABLE[code] ?? `cannot be used (${message})`;
  return new HostError(`Port ${port} on ${LOOPBACK} ${why}. Choose another port, or 0 for a free one.`);
}

/**
 * Starts all side by side. Where one fails, those that started are stopped: there are all, or none.
 *
 * @param explain makes the error from the reasons, by the places of those that failed. Default: the first reason.
 */
export async function startAll<T>(
  starts: readonly (() => Promise<T>)[],
  stop: (started: T) => Promise<unknown>,
  explain: (reasons: ReadonlyMap<number, unknown>) => unknown = (reasons) => [...reasons.values()][0],
): Promise<T[]> {
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const started = settled.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  if (started.length === starts.length) {
    return started;
  }
  // A failure to stop one must not hide why another did not start.
  await Promise.allSettled(started.map((running) => stop(running)));
  const reasons = settled.flatMap((start, index) =>
    start.status === "rejected" ? [[index, start.reason] as const] : [],
  );
  throw explain(new Map(reasons));
}
