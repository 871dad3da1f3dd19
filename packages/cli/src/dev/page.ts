import { createServer, type IncomingMessage } from "node:http";
import { relative } from "node:path";
import type { CaseFailure } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { claimPort, LOOPBACK, repositoryRoot } from "@evenbench/host";
import { html, htmlDocument } from "@evenbench/report/parts";
import type { DevServer } from "./servers.ts";

export interface Shown {
  readonly servers: readonly DevServer[];
  readonly leftOut: readonly CaseFailure[];
  readonly buildError: string | null;
  readonly cases: ReadonlyMap<string, readonly CaseManifest[]>;
}

/** Names of anybody else may lead here, too (DNS rebinding); a forwarded port has one of these. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

export async function serveIndex(port: number, shown: Shown) {
  const claimed = await claimPort(port);
  const server = createServer((request, response) => {
    const [status, body, type = "text/plain; charset=utf-8"] = answerTo(request, shown);
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(claimed, LOOPBACK, resolve);
  });
  return {
    url: `http://${LOOPBACK}:${claimed}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Answer = readonly [status: number, body: string, type?: string];

function answerTo({ method, url, headers }: IncomingMessage, shown: Shown): Answer {
  if (!OWN_HOST.test(headers.host ?? ""))
    return [403, "This page answers only for 127.0.0.1 and localhost.\n"];
  if (method !== "GET") return [405, "Read with GET.\n"];
  if (url === "/") return [200, renderPage(shown), "text/html; charset=utf-8"];
  if (url === "/state") return [200, `${JSON.stringify(describe(shown))}\n`, "application/json"];
  return [404, "There is nothing here. See /.\n"];
}

export function describe({ servers, leftOut }: Pick<Shown, "servers" | "leftOut">) {
  const described = servers.map((server) => ({
    name: server.target.name,
    url: server.url,
    state: server.state,
    pids: server.pids(),
    logFile: server.logFile,
  }));
  return { servers: described, leftOut };
}

export const NOT_TO_BE_MEASURED =
  "Development builds behind development servers: their times say nothing about the platforms. To measure, use npm run bench.";

function renderPage({ servers, leftOut, buildError, cases }: Shown): string {
  const stateOf = ({ state }: DevServer) =>
    state.is === "down" ? html`down until the next change<pre>${state.why}</pre>` : html`${state.is}`;
  const body = html`<header><h1><strong>Evenbench</strong> · for developing</h1>
<p><strong>Not to be measured.</strong> ${NOT_TO_BE_MEASURED}</p></header>
<main>
${buildError === null ? null : html`<p>The artifact could not be built; the last one is still served.</p><pre>${buildError}</pre>`}
${leftOut.map(({ path, reason }) => html`<p><code>${relative(repositoryRoot, path)}</code> is left out: ${reason}</p>`)}
<h2>Servers</h2>
<ul>${servers.map((server) => html`<li>${server.target.name}: <a href="${server.url}/">${server.url}</a> ${stateOf(server)}</li>`)}</ul>
${[...cases].map(([app, listed]) => {
  const serving = servers.filter(({ target }) => target.app.id === app);
  const links = (path: string) =>
    serving.map(({ target, url }) => html`<a href="${url}${path}">${target.name}</a> `);
  return html`<h2>${serving[0]?.target.app.title ?? ""}</h2>
<ul>${listed.map(({ id, path, title }) => html`<li><code>${id}</code> ${links(path)} ${title}</li>`)}</ul>`;
})}
</main>`;
  return htmlDocument("Evenbench, for developing", body);
}
