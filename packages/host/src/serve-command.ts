import { existsSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type AppDefinition, defineApp, type Host, type ServeOptions, UserError } from "@evenbench/core";
import { repositoryRoot, TYPE_STRIPPING } from "#repository";
import { HostError, LOOPBACK } from "./loopback.ts";
import { processTree } from "./process-tree.ts";
import type { HostCommand } from "./protocol.ts";
import { serverEnvironment, startHost } from "./start-host.ts";
import { waitForAnswer } from "./supervised.ts";

export interface OwnCommand {
  readonly command: string;
  readonly folder: string;
  readonly readyPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readyWithinMs: number;
}

/** npm's own words, and what changes a runtime. */
const NOT_PASSED_ON = /^(?:npm_|EVENBENCH_|NODE_OPTIONS$|NODE_COMPILE_CACHE$|NODE_V8_COVERAGE$|INIT_CWD$)/;
/** A server that starts other processes to serve does so when it starts, and rarely later. */
const LOOK_BELOW_EVERY_MS = 250;

export async function serveCommand(
  { command, folder, readyPath, headers, readyWithinMs }: OwnCommand,
  { inspectPort, ...options }: Pick<ServeOptions, "port" | "logFile" | "cores" | "signal" | "inspectPort">,
): Promise<Host> {
  const host = await startHost({
    ...options,
    name: `command "${command}"`,
    readyWithinMs,
    readiness: {
      what: readyPath,
      wait: (url, signal) =>
        waitForAnswer(url + readyPath, signal, headers, (status) => status !== null && status < 500),
    },
    command: (at) => ({
      ...shell(command),
      cwd: folder,
      env: {
        ...environmentOf(at),
        // With port 0 each process opens one of its own, told in the log.
        ...(inspectPort !== undefined && { NODE_OPTIONS: inspectFlags(inspectPort).join(" ") }),
      },
    }),
  }).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    const next = `It must stay in the foreground, listen on ${LOOPBACK} at the port in its variable PORT, and answer ${readyPath} with a status below 500.`;
    throw new UserError(`${error.message}\n${next}`, { cause: error });
  });
  return { ...host, pids: treeOf(host) };
}

function shell(command: string): { readonly file: string; readonly args: readonly string[] } {
  if (process.platform === "win32") return { file: "cmd.exe", args: ["/d", "/s", "/c", command] };
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
    if (pids().length === 0) return [];
    const now = performance.now();
    if (now - readAt < LOOK_BELOW_EVERY_MS) return found;
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
      if (path === undefined) throw new HostError(words);
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
  if (v8Flags.length === 0 && inspectPort === undefined) return;
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
  if (workers === 1) return server;
  if (process.platform !== "linux") {
    throw new HostError(`${server.file} can have several workers only on Linux. Start one worker.`);
  }
  return {
    file: process.execPath,
    args: [...TYPE_STRIPPING, PRIMARY, String(workers), server.file, ...server.args],
    reportsWorkers: true,
  };
}

export interface Framework extends Pick<AppDefinition, "title" | "cases" | "adapters"> {
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
