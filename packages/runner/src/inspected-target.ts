// Targets whose instances open V8's inspector, and work with such an instance between blocks of requests.
import { addAbortListener } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { COUNTED, reasonOf, type ServeOptions, UserError } from "@evenbench/core";
import { claimPort, quoteLog, releaseClaim } from "@evenbench/host";
import {
  connectInspector,
  findServing,
  InspectorError,
  type InspectorSession,
} from "@evenbench/host/inspector";
import { checkBody, isClients, type Probe } from "@evenbench/probe";
import { describeDeath, describeReplaced, logFileIn, probeOf, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";
import type { CaseRequest, CaseSession } from "./planned-case.ts";
import { isOfPlatform } from "./targets.ts";

/** Requests of a block, and the time after which a slow server's block ends with fewer of them. */
export const BLOCK = { requests: 200, withinMs: 4000 } as const;
/** Milliseconds from an order of the inspector to the request behind it. */
export const ORDER_TAKES_MS = 50;

/** A target whose instances open an inspector when they start. */
export interface InspectedTarget {
  readonly target: LocalTarget;
  /** Connects to the inspector of the instance that writes a log. */
  connect(logFile: string): Promise<InspectorSession>;
}

/** Makes a target open V8's inspector when it is started. */
export async function openInspectorAtStart(target: LocalTarget): Promise<InspectedTarget> {
  // Which of the processes that a command starts opens an inspector, and where, only its log says.
  const isCommand = !isOfPlatform(target);
  const inspectPort = isCommand ? 0 : await claimPort(0);
  const serve = (options: ServeOptions) => target.platform.serve({ ...options, inspectPort });
  return {
    target: { ...target, platform: { ...target.platform, serve } },
    connect: (logFile) =>
      isCommand ? findServing(target.name, logFile) : connectOrQuoteLog(inspectPort, logFile),
  };
}

/** Connects to an inspector. Where it cannot, the runtime's own words in its log say why it opened none. */
async function connectOrQuoteLog(port: number, logFile: string): Promise<InspectorSession> {
  try {
    return await connectInspector(port);
  } catch (error) {
    if (!(error instanceof InspectorError)) {
      throw error;
    }
    throw new InspectorError(`${error.message} Start again; it gets another port.`, [quoteLog(logFile)]);
  } finally {
    releaseClaim(port);
  }
}

/** A target that is inspected, what it is asked for, and on how many connections at a time. */
export interface InspectedOrder {
  readonly name: string;
  readonly inspected: InspectedTarget;
  readonly request: CaseRequest;
  readonly connections: number;
}

/** A target did not answer in time. */
export class LateError extends RunError {}

/** A fresh instance that is inspected between blocks of requests. */
export interface InspectedInstance {
  readonly inspector: InspectorSession;
  pids(): readonly number[];
  /** Sends a block of requests, one at a time on each connection. Resolves to how many these were. */
  sendBlock(): Promise<number>;
  /**
   * Waits until its isolate has carried out an order. workerd does that at its next request, so these are sent until it
   * has. Resolves to the order's result, and how many requests this took.
   */
  inTurn<Result>(order: Promise<Result>): Promise<{ readonly result: Result; readonly requests: number }>;
}

/**
 * Starts an instance of a target, works with it, and stops it.
 *
 * @throws {RunError} where the work fails: with how the instance died, where it did, and with the end of its log.
 */
export async function withInspected<Result>(
  { name, inspected, request, connections }: InspectedOrder,
  { instanceSettings: settings, signal }: Pick<CaseSession, "instanceSettings" | "signal">,
  work: (instance: InspectedInstance) => Promise<Result>,
): Promise<Result> {
  const { target } = inspected;
  await using open = new AsyncDisposableStack();
  const host = await serveLocal(target, name, { ...settings, workers: 1 });
  open.defer(() => host.stop());
  const serving = host.pids();
  const probes = Array.from({ length: connections }, () =>
    probeOf(target, host.url, settings.exchangeTimeoutMs),
  );
  open.defer(async () => {
    await Promise.all(probes.map((probe) => probe.close()));
  });
  // A request under way would otherwise hold an abort until its timeout.
  using _aborted = addAbortListener(signal, () => {
    for (const each of probes) {
      void each.close();
    }
  });
  const [probe] = probes as [Probe];
  const logFile = logFileIn(settings.logFolder, name);
  const nextRequest = requestsOf(request);
  let inspector: InspectorSession | undefined;
  open.defer(() => inspector?.close());
  try {
    inspector = await inspected.connect(logFile);
    return await work({
      inspector,
      pids: host.pids,
      sendBlock: () => sendBlock(probes, nextRequest),
      inTurn: (order) => inTurn(order, () => sendOne(probe, nextRequest)),
    });
  } catch (problem) {
    // A process of Node.js that ends waits for its debugger to leave.
    inspector?.close();
    const death = (await describeDeath(host)) ?? describeReplaced(serving, host.pids(), logFile);
    if (death === null && !(problem instanceof UserError)) {
      throw problem;
    }
    const { message, quotes } = death ?? reasonOf(problem);
    const Failed = death === null && problem instanceof LateError ? LateError : RunError;
    throw new Failed(message, quotes.length === 0 ? [quoteLog(logFile)] : quotes);
  }
}

/** Makes the function that gives one request after the other: where a path counts up, each asks for the next number. */
function requestsOf(request: CaseRequest): () => CaseRequest {
  if (!request.path.includes(COUNTED)) {
    return () => request;
  }
  let number = 0;
  return () => {
    number += 1;
    return { ...request, expected: { ...request.expected, unchecked: "body", number } };
  };
}

/** Does what {@link InspectedInstance.sendBlock} says. */
export async function sendBlock(probes: readonly Probe[], nextRequest: () => CaseRequest): Promise<number> {
  const endsAt = performance.now() + BLOCK.withinMs;
  let sent = 0;
  const isOver = () => sent >= BLOCK.requests || performance.now() > endsAt;
  const send = async (probe: Probe): Promise<void> => {
    while (!isOver()) {
      sent += 1;
      await sendOne(probe, nextRequest);
    }
  };
  await Promise.all(probes.map(send));
  return sent;
}

/** Sends a request. @throws {RunError} where the target fails: what the client itself cut off says nothing of memory. */
async function sendOne(probe: Probe, nextRequest: () => CaseRequest): Promise<void> {
  const { path, expected } = nextRequest();
  const exchange = await probe.exchange(path, expected, { digest: false });
  checkBody(exchange, expected);
  const { error } = exchange;
  if (error !== null && !isClients(error)) {
    const Failed = error.kind === "timeout" ? LateError : RunError;
    throw new Failed(`A request failed (${error.detail}).`);
  }
}

/** Does what {@link InspectedInstance.inTurn} says. @param request sends one. */
async function inTurn<Result>(
  order: Promise<Result>,
  request: () => Promise<void>,
): Promise<{ readonly result: Result; readonly requests: number }> {
  let isPending = true;
  const ended = order.finally(() => {
    isPending = false;
  });
  let requests = 0;
  const sending = (async () => {
    do {
      await delay(ORDER_TAKES_MS);
      requests += 1;
      await request();
    } while (isPending);
  })();
  const [result] = await Promise.all([ended, sending]);
  return { result, requests };
}
