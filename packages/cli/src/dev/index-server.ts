import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { claimPort, LOOPBACK } from "@evenbench/host";
import { sayAside } from "../say.ts";
import { whyForeign } from "./own-request.ts";
import { renderPage } from "./page.ts";
import type { Session } from "./session.ts";

/** Reloads come no faster than this. */
const TELL_EVERY_MS = 400;

/** The one address at which everything can be seen. */
export interface IndexServer {
  readonly url: string;
  /** Tells open pages that something changed. */
  changed(): void;
  close(): Promise<void>;
}

/**
 * Serves the page, `/state` (the same as JSON), `/check?case=<id>&<parameters>` (requests a case and goes
 * back to the page) and `/events`.
 *
 * @throws {HostError} when the port is taken.
 */
export async function serveIndex(port: number, session: () => Session | null): Promise<IndexServer> {
  const claimed = await claimPort(port);
  const listeners = new Set<ServerResponse>();
  let telling: NodeJS.Timeout | undefined;
  const server = createServer((request, response) => {
    answer(request, response, session(), listeners).catch((error: unknown) => {
      sayAside(`evenbench: the page failed: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  session: Session | null,
  listeners: Set<ServerResponse>,
): Promise<void> {
  response.setHeader("cache-control", "no-store");
  const foreign = whyForeign(request.headers);
  if (foreign !== null) return end(response, 403, `${foreign}\n`);
  const url = URL.parse(request.url ?? "/", "http://localhost");
  if (request.method !== "GET" || url === null) return end(response, 405, "Read with GET.\n");
  if (session === null) return end(response, 503, "Starting.\n");
  if (url.pathname === "/") return end(response, 200, renderPage(session), "text/html; charset=utf-8");
  if (url.pathname === "/state") {
    return end(response, 200, `${JSON.stringify(describe(session))}\n`, "application/json");
  }
  if (url.pathname === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    listeners.add(response);
    response.once("close", () => listeners.delete(response));
    return;
  }
  if (url.pathname !== "/check") return end(response, 404, "There is nothing here. See /.\n");
  const id = url.searchParams.get("case") ?? "";
  const manifest = [...session.cases.values()].flat().find((one) => one.id === id);
  if (manifest === undefined) return end(response, 404, `There is no case "${id.slice(0, 80)}". See /.\n`);
  await session.check(id, queryOf(url.searchParams, manifest.parameters));
  response.writeHead(303, { location: `/#${id}` }).end();
}

/** The parameters that are not what they are by default. */
function queryOf(given: URLSearchParams, parameters: Readonly<Record<string, { default: unknown }>>): string {
  const other = [...given].filter(
    ([name, value]) => name !== "case" && String(parameters[name]?.default) !== value,
  );
  return other.length === 0 ? "" : `?${new URLSearchParams(other)}`;
}

/** What the page shows, for programs. */
export function describe(session: Session) {
  const { servers, leftOut, buildError, cases, checks } = session;
  return {
    servers: servers.map((server) => ({
      name: server.target.name,
      app: server.target.app.id,
      url: server.url,
      state: server.state,
      pids: server.pids(),
      logFile: server.logFile,
    })),
    leftOut,
    buildError,
    cases: Object.fromEntries([...cases].map(([app, own]) => [app, own.map(({ id }) => id)])),
    checks: Object.fromEntries(checks),
  };
}

function end(
  response: ServerResponse,
  status: number,
  body: string,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": type }).end(body);
}
