import { type Host, recordedPath, type ServeOptions } from "@evenbench/core";
import { toolEnvironment } from "./environment.ts";
import { LOOPBACK } from "./loopback.ts";
import { ageMsOf, servingTree } from "./process-tree.ts";
import { type Readiness, waitForAnswer } from "./readiness.ts";
import { inspectFlags } from "./runtimes.ts";
import { type StartHostOptions, startHost } from "./start-host.ts";

/** A command of a user's own that starts a server. */
export interface OwnCommand {
  /** The command, for a shell. */
  readonly command: string;
  /** The folder that it is started in. */
  readonly folder: string;
  /** It is ready when it answers this path, asked as it is measured, with a status below 500. */
  readonly readyPath: string;
  /** The method of the measured requests, such as "GET". */
  readonly method: string;
  /** The headers of the measured requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the measured requests; null: they have none. */
  readonly body: Uint8Array | null;
  /** Milliseconds within which it has to be ready. */
  readonly readyWithinMs: number;
  /** Variables that it gets beside those of every tool: what the user named. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts a server by a user's own command, with its processes wherever they go.
 *
 * @throws {HostError} where it does not start, with the end of its log and what it must do.
 */
export async function serveCommand(
  ownCommand: OwnCommand,
  { inspectPort, ...options }: Pick<ServeOptions, "port" | "logFile" | "cores" | "signal" | "inspectPort">,
): Promise<Host> {
  const { command, folder, readyWithinMs } = ownCommand;
  const [file, ...args] = inShell(command);
  const host = await startHost({
    ...options,
    name: `command "${command}"`,
    readyWithinMs,
    readiness: readinessOf(ownCommand),
    remedies: remediesOf(ownCommand),
    command: (port) => ({
      file,
      args,
      cwd: folder,
      env: toolEnvironment({
        ...ownCommand.environment,
        NODE_ENV: "production",
        PORT: String(port),
        HOST: LOOPBACK,
        HOSTNAME: LOOPBACK,
        // With port 0 each process opens one of its own, and names it in the log.
        ...(inspectPort !== undefined && { NODE_OPTIONS: inspectFlags({ inspectPort }).join(" ") }),
      }),
    }),
  });
  const pids = cachedTree(host);
  return { ...host, ...startOf(host, pids()), pids };
}

/** The safe methods with which servers are measured (RFC 9110, 9.2.1): asking with them changes nothing. */
const SAFE_METHODS = ["GET", "HEAD"];

/**
 * Milliseconds that a command is left alone after an answer that shows that it is not ready, where the next
 * request may change its data.
 */
const UNSAFE_EVERY_MS = 250;
/** Milliseconds within which an answer to such a request has to come: as long as a measured one has. */
const UNSAFE_WITHIN_MS = 30_000;

/**
 * Gives the sign that a command is ready: it answers the measured request with a status below 500. A port that
 * listens does not show it, since many servers listen before what they need is there.
 */
function readinessOf({ method, readyPath, headers, body }: OwnCommand): Readiness {
  const request = { method, headers: { ...lengthHeader(body), ...headers }, body };
  const pace = { heardEveryMs: UNSAFE_EVERY_MS, answerWithinMs: UNSAFE_WITHIN_MS };
  const asked = SAFE_METHODS.includes(method) ? request : { ...request, ...pace };
  return {
    what: recordedPath(readyPath),
    isByOthers: true,
    wait: (url, ...end) => waitForAnswer(url + readyPath, asked, (status) => status < 500, ...end),
  };
}

function lengthHeader(body: Uint8Array | null): Readonly<Record<string, string>> {
  return body === null ? {} : { "content-length": String(body.byteLength) };
}

/** Says what a command must do to be measured, by what kept it from being ready. */
function remediesOf({ method, readyPath }: OwnCommand): NonNullable<StartHostOptions["remedies"]> {
  const mustListen = `listen on ${LOOPBACK} at the port in its variable PORT`;
  const mustAnswer = `It must answer ${method} ${recordedPath(readyPath)}, sent as it is measured,`;
  return {
    ended: `It must stay in the foreground, and ${mustListen}.`,
    unreached: `It must ${mustListen}, such as by --host ${LOOPBACK} --port "$PORT".`,
    unanswered: `${mustAnswer} to its end, by HTTP/1.1 without TLS.`,
    unusable: "Correct what it sends there, or measure another path.",
    refusing: `${mustAnswer} with a status below 500.`,
  };
}

/** Makes the call of a shell that runs a command. */
export function inShell(command: string): readonly [file: string, ...args: string[]] {
  return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command];
}

/**
 * Milliseconds for which the ids below a server are kept: it starts other processes when it starts, and rarely later.
 */
const TREE_FOR_MS = 250;

/** Gives when a server was started: behind a package manager, that is when the package manager started it. */
function startOf({ startedAt, pids }: Host, [first]: readonly number[]): Pick<Host, "startedAt"> {
  if (startedAt === undefined || first === undefined || pids().includes(first)) {
    return {};
  }
  const age = ageMsOf(first);
  return age === null ? {} : { startedAt: Math.max(startedAt, performance.now() - age) };
}

/**
 * Gives the ids of the processes that serve. They are cached, because they are asked for at
 * every exchange.
 */
function cachedTree({ pids }: Host): () => readonly number[] {
  let found: readonly number[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (pids().length === 0) {
      return [];
    }
    const now = performance.now();
    if (now - readAt < TREE_FOR_MS) {
      return found;
    }
    readAt = now;
    found = pids().flatMap(servingTree);
    return found;
  };
}
