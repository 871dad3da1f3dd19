import { type Host, type ServeOptions, UserError } from "@evenbench/core";
import { LOOPBACK } from "./loopback.ts";
import { inspectFlags } from "./own-runtime.ts";
import { processTree } from "./process-tree.ts";
import { startHost } from "./start-host.ts";
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
