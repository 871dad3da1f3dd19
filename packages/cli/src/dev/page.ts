import { relative } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { html, htmlDocument, type Markup } from "@evenbench/report/parts";
import type { DevServer } from "./server.ts";
import type { Session } from "./session.ts";

/** What nobody who looks at a development server may miss. */
export const NOT_TO_BE_MEASURED =
  "Development builds behind development servers: their times say nothing about the platforms. To measure, use npm run bench.";

const SCRIPT = `new EventSource("/events").onmessage = () => location.reload();`;

const STYLE = `
.bad{color:var(--slower)}.loud{border-left:4px solid var(--caution);background:var(--caution-bg);padding:8px 16px;margin:16px 0}
.scroll{overflow-x:auto}td,th{vertical-align:top;text-align:left}pre{white-space:pre-wrap;margin:4px 0;max-height:256px;overflow:auto}
`;

export function renderPage({ servers, leftOut, buildError, cases }: Session): string {
  const body = html`<header>
<h1><strong>Evenbench</strong> · for developing</h1>
<p class="loud"><strong>Not to be measured.</strong> ${NOT_TO_BE_MEASURED}</p>
</header>
<main>
${buildError === null ? null : html`<p class="bad">The artifact could not be built; the last one is served on.</p><pre>${buildError}</pre>`}
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
