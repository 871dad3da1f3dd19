import { on, once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { UserError } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import { LOOPBACK } from "./loopback.ts";

/** A connection to V8's inspector of one isolate. */
export interface InspectorSession {
  /**
   * Calls a method of the Chrome DevTools Protocol.
   *
   * @param withinMs default: 10 seconds.
   * @throws {InspectorError} where it is refused, is not answered in time, or the connection ends.
   */
  call<Result>(method: string, params?: object, withinMs?: number): Promise<Result>;
  /** Hears an event of the protocol. @returns a function that ends that. */
  listen<Parameters>(event: string, hear: (parameters: Parameters) => void): () => void;
  /** Closes the connection. */
  close(): void;
}

/** Milliseconds within which the inspector has to answer. */
const INSPECTOR_ANSWERS_WITHIN_MS = 10_000;
/** Milliseconds within which it has to send a profile or a snapshot. */
const STOP_WITHIN_MS = 60_000;

/**
 * The isolate that serves, where an inspector lists several: workerd lists one for each Worker by the name of
 * its service.
 */
const MAIN = "main";

/** Connects to the inspector on a loopback port. @throws {InspectorError} where it does not answer. */
export async function connectInspector(port: number): Promise<InspectorSession> {
  const address = `http://${LOOPBACK}:${port}/json`;
  let isolates: readonly { readonly id?: unknown; readonly webSocketDebuggerUrl?: unknown }[];
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(INSPECTOR_ANSWERS_WITHIN_MS) });
    isolates = [await response.json()].flat();
  } catch (error) {
    throw new InspectorError(`V8's inspector does not answer at ${address} (${describeWireError(error)}).`);
  }
  const open = isolates.filter((isolate) => typeof isolate?.webSocketDebuggerUrl === "string");
  const isolate = open.find(({ id }) => id === MAIN) ?? open[0];
  if (isolate === undefined) {
    throw new InspectorError(`V8's inspector at ${address} lists no isolate.`);
  }
  return openSession(String(isolate.webSocketDebuggerUrl));
}

/** An expression that says whether a process of Node.js listens, and how many workers of node:cluster it has. */
const SERVING = `({
  serves: process.getActiveResourcesInfo().includes("TCPServerWrap"),
  workers: Object.keys(process.getBuiltinModule("cluster").workers ?? {}).length,
})`;

/**
 * Connects to the process that serves among all that a command has started: package managers are programs of Node.js,
 * too, but listen nowhere.
 *
 * @param name the target's, for errors.
 * @param logFile the command's log, in which each process names its inspector.
 * @throws {InspectorError} where none, or several, can be inspected.
 */
export async function findServing(name: string, logFile: string): Promise<InspectorSession> {
  const log = await readFile(logFile, "utf8");
  const urls = [...log.matchAll(/Debugger listening on (ws:\/\/\S+)/g)].map(([, url = ""]) => url);
  for (const url of urls.toReversed()) {
    const session = await openSession(url).catch(() => null);
    if (session === null) {
      continue;
    }
    const { serves, workers } = await evaluate<{ serves: boolean; workers: number }>(session, SERVING);
    if (serves && workers === 0) {
      return session;
    }
    session.close();
    if (serves) {
      throw new InspectorError(
        `${name} serves with ${workers} worker processes, and V8's inspector is of one process. Let its command start one.`,
      );
    }
  }
  throw new InspectorError(
    `${name} cannot be inspected: none of its processes is a Node.js server that opens V8's inspector. Start it with node (name="cmd: node server.js"), without NODE_OPTIONS of its own.`,
  );
}

/** Evaluates an expression in the isolate. @returns its value, as JSON carries it. */
export async function evaluate<Value>({ call }: InspectorSession, expression: string): Promise<Value> {
  const params = { expression, returnByValue: true };
  const { result } = await call<{ readonly result: { readonly value: Value } }>("Runtime.evaluate", params);
  return result.value;
}

/** Opens a connection to the inspector at a WebSocket's URL. @throws {InspectorError} where it is refused. */
async function openSession(url: string): Promise<InspectorSession> {
  if (typeof WebSocket === "undefined") {
    throw new InspectorError(
      "V8's inspector needs a WebSocket, which Node.js has from version 22 on. Use a newer one.",
    );
  }
  const socket = new WebSocket(url);
  let lastId = 0;
  const ended = () => new InspectorError(`The connection to V8's inspector at ${url} ended.`);
  const overdue = AbortSignal.timeout(INSPECTOR_ANSWERS_WITHIN_MS);
  const refused = new AbortController();
  socket.addEventListener("error", () => refused.abort(), { once: true });
  await once(socket, "open", { signal: AbortSignal.any([overdue, refused.signal]) }).catch(() => {
    throw new InspectorError(`V8's inspector at ${url} refuses the connection.`);
  });
  return {
    async call<Result>(
      method: string,
      params: object = {},
      withinMs = INSPECTOR_ANSWERS_WITHIN_MS,
    ): Promise<Result> {
      if (socket.readyState !== WebSocket.OPEN) {
        throw ended();
      }
      const id = ++lastId;
      const late = AbortSignal.timeout(withinMs);
      const messages = on(socket, "message", { signal: late, close: ["close"] });
      socket.send(JSON.stringify({ id, method, params }));
      try {
        for await (const [{ data }] of messages) {
          const { id: answered, error, result } = JSON.parse(String(data));
          if (answered !== id) {
            continue;
          }
          if (error === undefined) {
            return result;
          }
          throw new InspectorError(`V8's inspector refuses: ${error.message ?? "without a reason"}.`);
        }
      } catch (error) {
        if (!late.aborted) {
          throw error;
        }
        throw new InspectorError(`V8's inspector did not answer ${method} within ${withinMs} ms.`);
      }
      throw ended();
    },
    listen(event, hear) {
      const onMessage = ({ data }: MessageEvent) => {
        const { method, params } = JSON.parse(String(data));
        if (method === event) {
          hear(params);
        }
      };
      socket.addEventListener("message", onMessage);
      return () => socket.removeEventListener("message", onMessage);
    },
    close: () => socket.close(),
  };
}

/**
 * Starts V8's sampling profiler.
 *
 * @param intervalUs microseconds between two samples.
 * @returns a function that ends it and gives the profile.
 */
export async function startProfiler(
  { call }: InspectorSession,
  intervalUs: number,
): Promise<() => Promise<Profiler.Profile>> {
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: intervalUs });
  await call("Profiler.start");
  return async () => {
    const { profile } = await call<{ profile: Profiler.Profile }>("Profiler.stop", {}, STOP_WITHIN_MS);
    return profile;
  };
}

/** Takes a snapshot of the heap, after a collection. @returns its JSON. */
export async function takeHeapSnapshot({ call, listen }: InspectorSession): Promise<string> {
  const chunks: string[] = [];
  const stop = listen<{ chunk: string }>("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    chunks.push(chunk);
  });
  try {
    await call("HeapProfiler.takeHeapSnapshot", { reportProgress: false }, STOP_WITHIN_MS);
    return chunks.join("");
  } finally {
    stop();
  }
}

/** The error of an inspector that does not do what it is asked for. Its message says why, and what to do. */
export class InspectorError extends UserError {
  override readonly name = "InspectorError";
}
