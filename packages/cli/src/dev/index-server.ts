import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { claimPort, LOOPBACK } from "@evenbench/host";
import { renderPage } from "./page.ts";
import type { Session } from "./session.ts";

/** Names of anybody else may lead here, too (DNS rebinding); a forwarded port has one of these. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Reloads come no faster than this. */
const TELL_EVERY_MS = 400;

export interface IndexServer {
  readonly url: string;
  changed(): void;
  close(): Promise<void>;
}

/**
 * Serves the page, `/state` (its servers as JSON) and `/events`, which makes it reload.
 *
 * @throws {HostError} when the port is taken.
 */
export async function serveIndex(port: number, session: () => Session | null): Promise<IndexServer> {
  const claimed = await claimPort(port);
  const listeners = new Set<ServerResponse>();
  let telling: NodeJS.Timeout | undefined;
  const server = createServer((request, response) => {
    const [status, body, type = "text/plain; charset=utf-8"] = answerTo(request, session());
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
    if (type !== "text/event-stream") return void response.end(body);
    response.flushHeaders();
    listeners.add(response);
    response.once("close", () => listeners.delete(response));
  });
  await listen(server, claimed);
  return {
    url: `http://${LOOPBACK}:${claimed}`,
    changed() {
      telling ??= setTimeout(() => {
        telling = undefined;
        for (const listener of listeners) listener.write("data: changed\n\n");
      }, TELL_EVERY_MS);
    },
    close() {
      clearTimeout(telling);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, resolve);
  });
}

type Answer = readonly [status: number, body: string, type?: string];

function answerTo({ method, url, headers }: IncomingMessage, session: Session | null): Answer {
  if (!OWN_HOST.test(headers.host ?? ""))
    return [403, "This page answers only for 127.0.0.1 and localhost.\n"];
  if (method !== "GET") return [405, "Read with GET.\n"];
  if (session === null) return [503, "Starting.\n"];
  if (url === "/") return [200, renderPage(session), "text/html; charset=utf-8"];
  if (url === "/state") return [200, `${JSON.stringify(describe(session))}\n`, "application/json"];
  if (url === "/events") return [200, "", "text/event-stream"];
  return [404, "There is nothing here. See /.\n"];
}

/** For programs. */
export function describe({ servers, leftOut }: Session) {
  const described = servers.map((server) => ({
    name: server.target.name,
    url: server.url,
    state: server.state,
    pids: server.pids(),
    logFile: server.logFile,
  }));
  return { servers: described, leftOut };
}
