import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { relative } from "node:path";
import type { CaseFailure } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { claimPort, LOOPBACK, repositoryRoot } from "@evenbench/host";
import { html, htmlDocument, type Markup } from "@evenbench/report/parts";
import type { DevServer } from "./servers.ts";

/** What the page shows. */
export interface Shown {
  readonly servers: readonly DevServer[];
  readonly leftOut: readonly CaseFailure[];
  /** Why there is no artifact of the sources as they stand, or null. */
  readonly buildError: string | null;
  /** By app id. */
  readonly cases: ReadonlyMap<string, readonly CaseManifest[]>;
}

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
export async function serveIndex(port: number, session: () => Shown | null): Promise<IndexServer> {
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(claimed, LOOPBACK, resolve);
  });
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

type Answer = readonly [status: number, body: string, type?: string];

function answerTo({ method, url, headers }: IncomingMessage, session: Shown | null): Answer {
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
export function describe({ servers, leftOut }: Shown) {
  const described = servers.map((server) => ({
    name: server.target.name,
    url: server.url,
    state: server.state,
    pids: server.pids(),
    logFile: server.logFile,
  }));
  return { servers: described, leftOut };
}

/** What nobody who looks at a development server may miss. */
export const NOT_TO_BE_MEASURED =
  "Development builds behind development servers: their times say nothing about the platforms. To measure, use npm run bench.";

const SCRIPT = `new EventSource("/events").onmessage = () => location.reload();`;

const STYLE = `
.bad{color:var(--slower)}.loud{border-left:4px solid var(--caution);background:var(--caution-bg);padding:8px 16px;margin:16px 0}
.scroll{overflow-x:auto}td,th{vertical-align:top;text-align:left}pre{white-space:pre-wrap;margin:4px 0;max-height:256px;overflow:auto}
`;

function renderPage({ servers, leftOut, buildError, cases }: Shown): string {
  const body = html`<header>
<h1><strong>Evenbench</strong> · for developing</h1>
<p class="loud"><strong>Not to be measured.</strong> ${NOT_TO_BE_MEASURED}</p>
</header>
<main>
${buildError === null ? null : html`<p class="bad">The artifact could not be built; the last one is still served.</p><pre>${buildError}</pre>`}
${leftOut.map(
  ({ path, reason }) =>
    html`<p><code>${relative(repositoryRoot, path)}</code> <span class="bad">is left out: ${reason}</span></p>`,
)}
<h2>Servers</h2>
<div class="scroll"><table>
<thead><tr><th>target</th><th>app</th><th>address</th><th>state</th></tr></thead>
<tbody>${servers.map(serverRow)}</tbody>
</table></div>
${[...cases].map(([app, listed]) =>
  casesOf(
    listed,
    servers.filter(({ target }) => target.app.id === app),
  ),
)}
</main>`;
  return htmlDocument("Evenbench, for developing", body, STYLE, { script: SCRIPT, live: true });
}

function serverRow({ target, url, state }: DevServer): Markup {
  const said =
    state.is === "down"
      ? html`<span class="bad">down until the next change</span><pre>${state.why}</pre>`
      : html`${state.is}`;
  return html`<tr><td>${target.name}</td><td>${target.app.title}</td><td><a href="${url}/">${url}</a></td><td>${said}</td></tr>`;
}

function casesOf(cases: readonly CaseManifest[], servers: readonly DevServer[]): Markup {
  const rows = cases.map(({ id, path, title }) => {
    const links = servers.map(({ target, url }) => html`<a href="${url}${path}">${target.name}</a> `);
    return html`<tr><th scope="row">${id}</th><td>${links}</td><td>${title}</td></tr>`;
  });
  return html`<h2>${servers[0]?.target.app.title ?? ""}</h2>
<div class="scroll"><table><tbody>${rows}</tbody></table></div>`;
}
