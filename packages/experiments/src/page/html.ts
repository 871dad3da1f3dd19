import {
  counted,
  type Definitions,
  definitionList,
  formatDuration,
  html,
  htmlDocument,
  listed,
  type Markup,
  machineEntries,
} from "@evenbench/report/parts";
import type { ClaimVerdict, ExperimentResult, ExperimentsRun, Figure, FigureTable } from "@evenbench/results";
import { comparisonTable } from "./comparison.ts";
import { allVersions, formatFigure, formatSource, leadFigure, notesOf, VERDICT_SIGNS } from "./format.ts";

/** The report's classes: its colours only repeat what the words say. */
const CLASSES: Readonly<Record<ClaimVerdict, string>> = {
  reproduced: "faster",
  "not reproduced": "same",
  reversed: "slower",
  "cannot tell": "unknown",
};

/** All claims as one HTML file that needs nothing else. The same data gives the same bytes. */
export function renderHtml(run: ExperimentsRun): string {
  const { results } = run;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(results.length, "claim")}</h1>
<p class="answer">${answer(results)}</p>
<p class="control">Each claim was published about other machines and earlier versions. What contradicts it here is a finding about these versions on this machine, no more; in every comparison one side is measured against its own A/A copy, and a claim whose control fails stays undecided.</p></header>
<main id="content">
${overview(results)}
<h2 id="claims">Claim by claim</h2>
${results.map(section)}
${machineSection(run)}
</main>
<footer>Run ${run.id}, seed ${run.seed}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(`Evenbench claims ${run.id}`, body);
}

function answer(results: readonly ExperimentResult[]): string {
  const verdicts: readonly ClaimVerdict[] = ["reproduced", "not reproduced", "reversed", "cannot tell"];
  const parts = verdicts.flatMap((verdict) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict === "cannot tell" ? "undecided" : verdict}`];
  });
  return parts.length === 0
    ? "No claim was checked."
    : `Of ${counted(results.length, "published claim")}: ${listed(parts)}.`;
}

function verdictMark(verdict: ClaimVerdict): Markup {
  return html`<span class="verdict ${CLASSES[verdict]}"><span aria-hidden="true">${VERDICT_SIGNS[verdict]}</span> ${verdict}</span>`;
}

function overview(results: readonly ExperimentResult[]): Markup {
  return table(
    "Published claims",
    ["Claim", "Published", "Ours (99 % interval)", "Verdict"],
    results.map((result) => {
      const lead = leadFigure(result);
      return [
        html`<a href="#claim-${result.id}">${result.title}</a>`,
        html`${result.published}`,
        lead === null ? html`–` : html`${formatFigure(lead)} <small>${lead.label}</small>`,
        verdictMark(result.verdict),
      ];
    }),
  );
}

function section(result: ExperimentResult): Markup {
  const { id, title, claim, published, source, reason, figures, tables, comparisons, durationMs } = result;
  const notes = notesOf(result);
  return html`<section class="case" aria-labelledby="claim-${id}"><h3 id="claim-${id}">${title}<code>${id}</code></h3>
<p class="lead">${claim} Published: <strong>${published}</strong> (${formatSource(source)}).</p>
<p>${verdictMark(result.verdict)} ${reason}</p>
${figures.length === 0 ? null : figureTable(id, figures)}
${tables.map((one) => extraTable(id, one))}
${comparisons.map((one) => comparisonTable(id, one))}
${notes.length === 0 ? null : html`<details><summary>Notes</summary><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></details>`}
<p class="key">${Object.entries(result.versions).map(([name, version]) => html`${name} ${version}; `)}measured in ${formatDuration(durationMs)}.</p></section>
`;
}

function figureTable(id: string, figures: readonly Figure[]): Markup {
  return table(
    `Figures of ${id}`,
    ["Figure", "Ours (99 % interval)", "Verdict"],
    figures.map((figure) => [
      html`${figure.label}`,
      html`<span class="number">${formatFigure(figure)}</span>`,
      html`${figure.verdict === null ? null : verdictMark(figure.verdict)} <small>${figure.note ?? ""}</small>`,
    ]),
  );
}

function extraTable(id: string, { title, head, rows }: FigureTable): Markup {
  return html`<h4>${title}</h4>${table(
    `${id}: ${title}`,
    head,
    rows.map((cells) => cells.map((cell) => html`${cell}`)),
  )}`;
}

/** The first column names its row. */
function table(label: string, head: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map(
    ([first = html``, ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function machineSection({ machine, results, timeMs, startedAt, finishedAt }: ExperimentsRun): Markup {
  const entries: Definitions = [
    ...Object.entries(allVersions(results)),
    ...machineEntries(machine),
    ["Client", `Node.js ${machine.clientNode}`],
    ["Time for each claim", timeMs === null ? "its own" : formatDuration(timeMs)],
    ["Started", startedAt],
    ["Finished", finishedAt ?? "–"],
  ];
  return html`<section aria-labelledby="machine"><h2 id="machine">Versions and machine</h2>${definitionList(entries)}</section>`;
}
