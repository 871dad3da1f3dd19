import { UserError } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import { LOOPBACK } from "@evenbench/host";
import { type CpuProfile, parseCpuProfile } from "./cpu-profile.ts";

export interface InspectorSession {
  call(method: string, parameters?: Readonly<Record<string, unknown>>, withinMs?: number): Promise<unknown>;
  close(): void;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

const ANSWER_WITHIN_MS = 10_000;

/** The isolate that serves: Node.js has one, workerd lists one for each Worker by the name of its service. */
const MAIN = "main";

export async function connectInspector(port: number): Promise<InspectorSession> {
  const address = `http://${LOOPBACK}:${port}/json`;
  let list: unknown;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    list = await response.json();
  } catch (error) {
    throw new ProfileError(`V8's inspector does not answer at ${address} (${describeWireError(error)}).`);
  }
  const targets = Array.isArray(list) ? list.filter(isTarget) : [];
  const target = targets.find(({ id }) => id === MAIN) ?? targets[0];
  if (target === undefined) throw new ProfileError(`V8's inspector at ${address} lists no isolate.`);
  return openSession(target.webSocketDebuggerUrl);
}

async function openSession(url: string): Promise<InspectorSession> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const fail = (why: string) => {
    for (const { reject } of waiting.values()) reject(new ProfileError(why));
    waiting.clear();
  };
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error }: Answer = JSON.parse(String(data));
    const asked = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asked === undefined) return;
    waiting.delete(id);
    if (error === undefined) asked.resolve(result);
    else asked.reject(new ProfileError(`V8's inspector refuses: ${error.message ?? "without a reason"}.`));
  });
  socket.addEventListener("close", () => fail(`The connection to V8's inspector at ${url} ended.`));
  await opened(socket, url);
  return {
    async call(method, parameters = {}, withinMs = ANSWER_WITHIN_MS) {
      if (socket.readyState !== WebSocket.OPEN) {
        throw new ProfileError(`The connection to V8's inspector at ${url} ended.`);
      }
      const id = ++lastId;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      const overdue = setTimeout(() => {
        waiting.delete(id);
        asked.reject(new ProfileError(`V8's inspector did not answer ${method} within ${withinMs} ms.`));
      }, withinMs);
      socket.send(JSON.stringify({ id, method, params: parameters }));
      return asked.promise.finally(() => clearTimeout(overdue));
    },
    close: () => socket.close(),
  };
}

function opened(socket: WebSocket, url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuse = () => reject(new ProfileError(`V8's inspector at ${url} refuses the connection.`));
  const overdue = setTimeout(refuse, ANSWER_WITHIN_MS);
  socket.addEventListener("open", () => resolve(), { once: true });
  socket.addEventListener("error", refuse, { once: true });
  return promise.finally(() => clearTimeout(overdue));
}

function isTarget(value: unknown): value is { id: string; webSocketDebuggerUrl: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { webSocketDebuggerUrl?: unknown }).webSocketDebuggerUrl === "string"
  );
}

/** A profile of some megabytes takes a busy isolate a while to write down. */
const STOP_WITHIN_MS = 60_000;

export async function recordCpuProfile<T>(
  session: InspectorSession,
  intervalUs: number,
  work: () => Promise<T>,
): Promise<{ profile: CpuProfile; result: T }> {
  await session.call("Profiler.enable");
  await session.call("Profiler.setSamplingInterval", { interval: intervalUs });
  await session.call("Profiler.start");
  const result = await work();
  const answer = await session.call("Profiler.stop", {}, STOP_WITHIN_MS);
  return { profile: parseCpuProfile((answer as { profile?: unknown }).profile), result };
}

export class ProfileError extends UserError {
  override readonly name = "ProfileError";
}
