import { relative } from "node:path";
import { parameterFields } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { colourMark, html, htmlDocument, Markup, platformColours } from "@evenbench/report/parts";
import type { Check, CheckAnswer } from "./check.ts";
import type { DevServer } from "./server.ts";
import type { SessionState } from "./session.ts";
import { STYLE } from "./style.ts";
import type { DevTarget } from "./targets.ts";

/** What nobody who looks at a development server may miss. */
export const NOT_TO_BE_MEASURED =
  "Development builds behind development servers: their times say nothing about the platforms. To measure, use npm run bench.";

/** Comes again when something changed, unless somebody is filling in a form. */
const SCRIPT = `new EventSource("/events").onmessage = () => {
  if (!document.activeElement?.matches("input,select")) location.reload();
};`;

/** The page with every case on every target. */
export function renderPage(state: SessionState): string {
  const marks = marksOf(state.servers);
  const apps = [...state.cases].map(([app, cases]) => section({ state, app, cases, marks }));
  const body = html`<header>
<h1><strong>Evenbench</strong> · for developing</h1>
<p class="loud"><strong>Not to be measured.</strong> ${NOT_TO_BE_MEASURED}</p>
</header>
<main>
${problems(state)}
<h2>Servers</h2>
<div class="scroll"><table>
<thead><tr><th>target</th><th>app</th><th>address</th><th>state</th></tr></thead>
<tbody>${state.servers.map((server) => serverRow(server, marks))}</tbody>
</table></div>
${apps}
</main>`;
  return htmlDocument("Evenbench, for developing", body, STYLE, { script: SCRIPT, live: true });
}

type Marks = (target: DevTarget) => Markup;

/**
 * A target's name beside the colour that its platform has in reports; a framework's server, which stands for
 * all platforms, has none.
 */
function marksOf(servers: readonly DevServer[]): Marks {
  const placed = servers.flatMap(({ target: { name, platform } }) =>
    platform === null ? [] : [{ name, platform: platform.id, copyOf: null }],
  );
  const colours = platformColours(placed);
  return ({ name }) => {
    const colour = colours.get(name);
    return colour === undefined ? html`${name}` : colourMark(name, colour);
  };
}

function problems({ leftOut, buildError }: SessionState): Markup | null {
  if (leftOut.length === 0 && buildError === null) return null;
  return html`<h2>Problems</h2>
${buildError === null ? null : html`<p class="bad">The artifact could not be built; the last one is served on.</p><pre>${buildError}</pre>`}
${leftOut.map(
  ({ path, reason }) =>
    html`<p><code>${relative(repositoryRoot, path)}</code> <span class="bad">is left out: ${reason}</span></p>`,
)}`;
}

function serverRow({ target, url, state }: DevServer, marks: Marks): Markup {
  const said =
    state.is === "down"
      ? html`<span class="bad">down until the next change</span><pre>${state.why}</pre>`
      : html`<span class="${state.is === "up" ? "good" : "soft"}">${state.is}</span>`;
  return html`<tr><td>${marks(target)}</td><td>${target.app.title}</td><td><a href="${url}/">${url}</a></td><td>${said}</td></tr>`;
}

interface Section {
  readonly state: SessionState;
  readonly app: string;
  readonly cases: readonly CaseManifest[];
  readonly marks: Marks;
}

function section({ state, app, cases, marks }: Section): Markup {
  const servers = state.servers.filter(({ target }) => target.app.id === app);
  const title = servers[0]?.target.app.title ?? app;
  return html`<h2>${title} <small>${cases.length} cases</small></h2>
${cases.map((manifest) => article(manifest, servers, state.checks.get(manifest.id), marks))}`;
}

function article(
  manifest: CaseManifest,
  servers: readonly DevServer[],
  check: Check | undefined,
  marks: Marks,
): Markup {
  const { id, path, title, description, parameters } = manifest;
  const query = check?.query ?? "";
  const rows = servers.map(({ target, url }) => {
    const answer = check?.answers.find((one) => one.target === target.name);
    return answerRow(marks(target), `${url}${path}${query}`, answer);
  });
  return html`<article id="${id}">
<h3>${id} ${mark(check)}</h3>
<p><strong>${title}.</strong> ${description}</p>
<div class="scroll"><table>
<thead><tr><th>target</th><th class="number">status</th><th class="number">first byte</th><th class="number">last byte</th><th class="number">bytes</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
${query === "" ? null : html`<p class="soft">with <code>${query}</code></p>`}
${difference(check)}
<form action="/check"><input type="hidden" name="case" value="${id}">${new Markup(parameterFields(id, parameters))}<button>Request ${id} on all targets</button></form>
</article>`;
}

function mark(check: Check | undefined): Markup {
  if (check === undefined) return html`<span class="mark soft">not requested yet</span>`;
  if (check.same === null) return html`<span class="mark soft">nothing to compare with</span>`;
  return check.same
    ? html`<span class="mark good">✓ same body</span>`
    : html`<span class="mark bad">✗ not the same</span>`;
}

function answerRow(name: Markup, href: string, answer: CheckAnswer | undefined): Markup {
  const link = html`<a href="${href}">${name}</a>`;
  if (answer?.error) return html`<tr><td>${link}</td><td colspan="4" class="bad">${answer.error}</td></tr>`;
  const cells = [
    answer?.status ?? null,
    milliseconds(answer?.firstByteMs),
    milliseconds(answer?.lastByteMs),
    answer?.bytes?.toLocaleString("en") ?? null,
  ];
  return html`<tr><td>${link}</td>${cells.map((cell) => html`<td class="number">${cell ?? "–"}</td>`)}</tr>`;
}

function milliseconds(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined
    ? null
    : `${ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en")} ms`;
}

function difference(check: Check | undefined): Markup | null {
  if (check?.difference == null) return null;
  const { what, values } = check.difference;
  return html`<p class="bad">${what}</p><pre>${Object.entries(values).map(([name, value]) => `${name}  ${value}\n`)}</pre>`;
}
