import { createServer, type IncomingMessage } from "node:http";
import { claimPort, LOOPBACK } from "@evenbench/host";
import { html, htmlDocument } from "@evenbench/report/parts";
import type { DevServer } from "./servers.ts";

export interface Shown {
  readonly servers: readonly Pick<DevServer, "target" | "url" | "down">[];
  readonly faults: readonly string[];
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

function answerTo({ method, url, headers }: IncomingMessage, shown: Shown): [number, string, string?] {
  if (!OWN_HOST.test(headers.host ?? ""))
    return [403, "This page answers only for 127.0.0.1 and localhost.\n"];
  if (method !== "GET") return [405, "Read with GET.\n"];
  return url === "/"
    ? [200, renderPage(shown), "text/html; charset=utf-8"]
    : [404, "There is nothing here. See /.\n"];
}

export const NOT_TO_BE_MEASURED =
  "Development builds behind development servers: their times say nothing about the platforms. To measure, use npm run bench.";

function renderPage({ servers, faults }: Shown): string {
  const body = html`<header><h1><strong>Evenbench</strong> · for developing</h1>
<p><strong>Not to be measured.</strong> ${NOT_TO_BE_MEASURED}</p></header>
<main>
${faults.map((fault) => html`<pre>${fault}</pre>`)}
<h2>Servers, each with its cases</h2>
<ul>${servers.map(({ target, url, down }) => html`<li>${target.name}: <a href="${url}/">${url}</a>${down === null ? null : html` down until the next change<pre>${down}</pre>`}</li>`)}</ul>
</main>`;
  return htmlDocument("Evenbench, for developing", body);
}
