import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type AppDefinition, defineApp, type Host, type ServeOptions, UserError } from "@evenbench/core";
import { repositoryRoot, TYPE_STRIPPING } from "#repository";
import { MARK_VARIABLE } from "./left-behind.ts";
import { HostError, LOOPBACK } from "./loopback.ts";
import { processTree } from "./process-tree.ts";
import { type HostCommand, LEFT_FOREGROUND } from "./protocol.ts";
import { serverEnvironment, startHost } from "./start-host.ts";
import { type Readiness, takesConnections, waitForAnswer } from "./supervised.ts";

export interface OwnCommand {
  readonly command: string;
  readonly folder: string;
  /** It is ready when it answers this path, asked as it is measured; see `readinessOf` for methods that change data. */
  readonly readyPath: string;
  /** Of the measured requests, such as "GET". */
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readyWithinMs: number;
}

/** npm's own words, and what changes a runtime. */
const NOT_PASSED_ON = /^(?:npm_|EVENBENCH_|NODE_OPTIONS$|NODE_COMPILE_CACHE$|NODE_V8_COVERAGE$|INIT_CWD$)/;
/** A server that starts other processes to serve does so when it starts, and rarely later. */
const LOOK_BELOW_EVERY_MS = 250;

export async function serveCommand(
  ownCommand: OwnCommand,
  { inspectPort, ...options }: Pick<ServeOptions, "port" | "logFile" | "cores" | "signal" | "inspectPort">,
): Promise<Host> {
  const { command, folder, readyWithinMs } = ownCommand;
  const readiness = readinessOf(ownCommand);
  const host = await startHost({
    ...options,
    name: `command "${command}"`,
    readyWithinMs,
    readiness,
    command: (port) => {
      const trace = { mark: randomUUID(), port };
      const env = { ...environmentOf(port), [MARK_VARIABLE]: trace.mark };
      // With port 0 each process opens one of its own, told in the log.
      const inspected =
        inspectPort === undefined ? {} : { NODE_OPTIONS: inspectFlags(inspectPort).join(" ") };
      return { ...shell(command), cwd: folder, env: { ...env, ...inspected }, trace };
    },
  }).catch((error: unknown) => {
    if (!(error instanceof UserError)) {
      throw error;
    }
    throw new UserError(withAdvice(error.message, whatItMust(ownCommand)), { cause: error });
  });
  return { ...host, died: host.died.then((how) => withAdvice(how, "")), pids: treeOf(host) };
}

/** Other methods may change data, and nothing is changed before it is measured. */
const ASKED_FOR_READINESS = ["GET", "HEAD"];

/** A command is ready when it answers the measured request with a status below 500, or, by other methods than GET and HEAD, when it takes connections. */
function readinessOf({ method, readyPath, headers }: OwnCommand): Readiness {
  if (!ASKED_FOR_READINESS.includes(method)) {
    return takesConnections();
  }
  return {
    what: readyPath,
    wait: (url, signal) =>
      waitForAnswer(url + readyPath, signal, { method, headers }, (status) => status < 500),
  };
}

function whatItMust({ method, readyPath }: OwnCommand): string {
  const listens = `listen on ${LOOPBACK} at the port in its variable PORT`;
  if (!ASKED_FOR_READINESS.includes(method)) {
    return `It must stay in the foreground, and ${listens}.`;
  }
  return `It must stay in the foreground, ${listens}, and answer ${method} ${readyPath} with a status below 500.`;
}

function withAdvice(message: string, advice: string): string {
  const foreground = message.includes(LEFT_FOREGROUND)
    ? `Start it in the foreground, such as nginx -g "daemon off;", or gunicorn without --daemon.`
    : "";
  return [message, foreground, advice].filter(Boolean).join("\n");
}

function shell(command: string): { readonly file: string; readonly args: readonly string[] } {
  if (process.platform === "win32") {
    return { file: "cmd.exe", args: ["/d", "/s", "/c", command] };
  }
  return { file: "/bin/sh", args: ["-c", command] };
}

/** The user's own, since what serves may need it; but built for production, and on the loopback interface. */
function environmentOf(port: number): Readonly<Record<string, string>> {
  const passed = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value === undefined || NOT_PASSED_ON.test(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(passed),
    NODE_ENV: "production",
    PORT: String(port),
    HOST: LOOPBACK,
    HOSTNAME: LOOPBACK,
  };
}

/** It is asked for at every exchange. */
function treeOf({ pids }: Host): () => readonly number[] {
  let found: readonly number[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (pids().length === 0) {
      return [];
    }
    const now = performance.now();
    if (now - readAt < LOOK_BELOW_EVERY_MS) {
      return found;
    }
    readAt = now;
    found = pids().flatMap((pid) => processTree(pid));
    return found;
  };
}

export type OwnRuntime = ReturnType<typeof ownRuntime>;

/** Installed only where somebody asks for it: `runtime/` of its platform's folder pins it. */
export function ownRuntime(title: string, folder: string, file: string) {
  const { optionalDependencies }: { optionalDependencies: object } = readJson(join(folder, "package.json"));
  // The package manager installs the one that is for this system.
  const programs = Object.keys(optionalDependencies).map((name) => join(folder, "node_modules", name, file));
  const installed = () => programs.find((path) => existsSync(path));
  const words =
    `${title} is not installed: it is opt-in, so the set-up leaves it out. ` +
    `Install it with: npx pnpm -C ${relative(repositoryRoot, folder)} install`;
  return {
    missing: () => (installed() === undefined ? words : null),
    /** @throws {HostError} with the words of `missing` where it is not installed. */
    program(): string {
      const path = installed();
      if (path === undefined) {
        throw new HostError(words);
      }
      return path;
    },
  };
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function inspectFlags(port: number | undefined): readonly string[] {
  return port === undefined ? [] : [`--inspect=${LOOPBACK}:${port}`];
}

export function refuseV8(runtime: string, { v8Flags, inspectPort }: ServeOptions): void {
  const action = v8Flags.length > 0 ? `take V8's flags (${v8Flags.join(" ")})` : "open V8's inspector";
  if (v8Flags.length === 0 && inspectPort === undefined) {
    return;
  }
  throw new HostError(
    `${runtime} is not built on V8 and cannot ${action}. Name the other targets with --target.`,
  );
}

const PRIMARY = fileURLToPath(new URL("port-sharing.ts", import.meta.url));

/** For a runtime that has no cluster, but can share a port by SO_REUSEPORT. */
export function sharedPortCommand(
  server: Pick<HostCommand, "file" | "args">,
  workers: number,
): Pick<HostCommand, "file" | "args" | "reportsWorkers"> {
  if (workers === 1) {
    return server;
  }
  if (process.platform !== "linux") {
    throw new HostError(`${server.file} can have several workers only on Linux. Start one worker.`);
  }
  return {
    file: process.execPath,
    args: [...TYPE_STRIPPING, PRIMARY, String(workers), server.file, ...server.args],
    reportsWorkers: true,
  };
}

export interface Framework extends Pick<AppDefinition, "title" | "cases" | "adapters" | "generated"> {
  /** Its program, from `node_modules` on. */
  readonly command: string;
  developOn(port: number): readonly string[];
  readonly developIn?: Readonly<Record<string, string>>;
}

/** For each platform that it has a script "build:…" for. */
export function frameworkApp(
  { dirname: folder }: ImportMeta,
  { command, developOn, developIn, ...app }: Framework,
): AppDefinition {
  const { scripts }: { scripts: object } = readJson(join(folder, "package.json"));
  return defineApp({
    ...app,
    id: basename(folder),
    deployable: (platform) => (`build:${platform}` in scripts ? join(folder, "dist", platform) : null),
    develop: (options) =>
      startHost({
        ...options,
        name: `${app.title}'s own server`,
        cores: null,
        readyWithinMs: 120_000,
        command: (port) => ({
          file: process.execPath,
          args: [join(folder, "node_modules", command), "dev", ...developOn(port)],
          cwd: folder,
          env: serverEnvironment({ NODE_ENV: "development", ...developIn }),
        }),
      }),
  });
}
