import { randomUUID } from "node:crypto";
import { type Host, type ServeOptions, UserError } from "@evenbench/core";
import { MARK_VARIABLE } from "./left-behind.ts";
import { LOOPBACK } from "./loopback.ts";
import { processTree } from "./process-tree.ts";
import { LEFT_FOREGROUND } from "./protocol.ts";
import { type Readiness, waitForAnswer, withoutQuery } from "./readiness.ts";
import { inspectFlags } from "./runtimes.ts";
import { startHost } from "./start-host.ts";

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
  /** Variables that it gets beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Names of variables that a command does not get: npm's own, Evenbench's, and those that change a runtime. */
const NOT_PASSED_ON = /^(?:npm_|EVENBENCH_|NODE_OPTIONS$|NODE_COMPILE_CACHE$|NODE_V8_COVERAGE$|INIT_CWD$)/;

/**
 * Starts a server by a user's own command, with its processes wherever they go.
 *
 * @throws {UserError} where it does not start, with the end of its log and what it must do.
 */
export async function serveCommand(
  ownCommand: OwnCommand,
  { inspectPort, ...options }: Pick<ServeOptions, "port" | "logFile" | "cores" | "signal" | "inspectPort">,
): Promise<Host> {
  const { command, folder, readyWithinMs } = ownCommand;
  const host = await startHost({
    ...options,
    name: `command "${command}"`,
    readyWithinMs,
    readiness: readinessOf(ownCommand),
    command: (port) => {
      const mark = randomUUID();
      const env = { ...ownCommand.environment, ...commandEnvironment(port), [MARK_VARIABLE]: mark };
      // With port 0 each process opens one of its own, and names it in the log.
      const inspected =
        inspectPort === undefined ? {} : { NODE_OPTIONS: inspectFlags(inspectPort).join(" ") };
      return { ...inShell(command), cwd: folder, env: { ...env, ...inspected }, trace: { mark, port } };
    },
  }).catch((error: unknown) => {
    if (!(error instanceof UserError)) {
      throw error;
    }
    throw new UserError(withAdvice(error.message, whatItMust(ownCommand)), { cause: error });
  });
  return { ...host, died: host.died.then((how) => withAdvice(how, "")), pids: cachedTree(host) };
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
    what: withoutQuery(readyPath),
    wait: (url, signal) => waitForAnswer(url + readyPath, signal, asked, (status) => status < 500),
  };
}

function lengthHeader(body: Uint8Array | null): Readonly<Record<string, string>> {
  return body === null ? {} : { "content-length": String(body.byteLength) };
}

/** Says what a command must do to be measured. */
function whatItMust({ method, readyPath }: OwnCommand): string {
  return (
    `It must stay in the foreground, listen on ${LOOPBACK} at the port in its variable PORT, and answer ` +
    `${method} ${withoutQuery(readyPath)}, sent as it is measured, with a status below 500.`
  );
}

/** Adds advice to an error: on commands that leave the foreground, and `advice`; "" for none. */
function withAdvice(message: string, advice: string): string {
  const foreground = message.includes(LEFT_FOREGROUND)
    ? `Start it in the foreground, such as nginx -g "daemon off;", or gunicorn without --daemon.`
    : "";
  return [message, foreground, advice].filter(Boolean).join("\n");
}

/** Makes the call of a shell that runs a command. */
function inShell(command: string): { readonly file: string; readonly args: readonly string[] } {
  if (process.platform === "win32") {
    return { file: "cmd.exe", args: ["/d", "/s", "/c", command] };
  }
  return { file: "/bin/sh", args: ["-c", command] };
}

/**
 * The command's environment: the user's own, since what serves may need it; but for production, and on the
 * loopback interface.
 */
function commandEnvironment(port: number): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !NOT_PASSED_ON.test(name)) {
      passed[name] = value;
    }
  }
  return {
    ...passed,
    NODE_ENV: "production",
    PORT: String(port),
    HOST: LOOPBACK,
    HOSTNAME: LOOPBACK,
  };
}

/**
 * Milliseconds for which the ids below a server are kept: it starts other processes when it starts, and rarely later.
 */
const TREE_FOR_MS = 250;

/**
 * Gives the ids of a server and of all processes below it. They are cached, because they are asked for at
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
    found = pids().flatMap((pid) => processTree(pid));
    return found;
  };
}
