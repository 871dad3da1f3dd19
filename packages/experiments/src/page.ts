import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import {
  counted,
  type Definitions,
  definitionList,
  fittedTable,
  formatBytes,
  formatCount,
  formatDuration,
  formatMs,
  formatPercent,
  formatRatio,
  html,
  htmlDocument,
  htmlTable,
  listed,
  type Markup,
  paintIf,
  type Table,
  type TableCell,
  type TerminalOptions,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import { machineEntries, machineFacts, machineWords } from "@evenbench/report";
import {
  type ClaimVerdict,
  type Estimate,
  type ExperimentResult,
  type ExperimentsRun,
  type Figure,
  type FigureUnit,
  writeWhole,
} from "@evenbench/results";
import { claimWords } from "./judge.ts";

/** The sign, the CSS class and the colour in a terminal of each verdict. */
const CLAIM_MARKS = {
  reproduced: { sign: "✓", className: "faster", colour: "green" },
  "reproduced in part": { sign: "◐", className: "faster", colour: "green" },
  "not reproduced": { sign: "✕", className: "same", colour: "yellow" },
  reversed: { sign: "⇄", className: "slower", colour: "red" },
  unclear: { sign: "?", className: "unknown", colour: "dim" },
} as const satisfies Record<ClaimVerdict, unknown>;

/** The page of a run of experiments, as it was written. */
export interface ExperimentsPage {
  /** Text of the run for a terminal. */
  readonly terminal: string;
  readonly htmlFile: string;
}

/** Writes the page of a run into its folder. @throws {ResultsError} when it cannot be written. */
export async function createExperimentsPage(
  folder: string,
  run: ExperimentsRun,
  options: TerminalOptions = terminalOptions(),
): Promise<ExperimentsPage> {
  const htmlFile = join(folder, "experiments.html");
  await writeWhole(htmlFile, renderExperimentsHtml(run));
  return { terminal: renderExperimentsTerminal(run, options), htmlFile };
}

/**
 * Finds the figure that stands for an experiment in a table: the first one with its verdict, of one that is
 * reproduced in part the first part that is; else the first one. null without a figure.
 */
export function leadFigure({
  figures,
  verdict,
}: Pick<ExperimentResult, "figures" | "verdict">): Figure | null {
  const wanted = verdict === "reproduced in part" ? "reproduced" : verdict;
  return figures.find((figure) => figure.verdict === wanted) ?? figures[0] ?? null;
}

/** Makes the cell of a verdict. @param words what stands behind the sign. Default: the verdict. */
function claimVerdictCell(verdict: ClaimVerdict, words: string = verdict): Exclude<TableCell, string> {
  const { sign, className } = CLAIM_MARKS[verdict];
  const markup = html`<span class="verdict ${className}"><span aria-hidden="true">${sign}</span> ${words}</span>`;
  return { text: `${sign} ${words}`, html: markup };
}

function claimCell(result: ExperimentResult): Exclude<TableCell, string> {
  return claimVerdictCell(result.verdict, claimWords(result));
}

function overviewTable({ results }: ExperimentsRun): Table {
  return {
    head: ["Claim", "Published", "Ours (99 % interval)", "Verdict"],
    rows: results.map((result) => {
      const lead = leadFigure(result);
      const ours = lead === null ? "–" : shown(lead.unit, lead.value);
      return [
        { text: result.id, html: html`<a href="#claim-${result.id}">${result.title}</a>` },
        result.published,
        { text: ours, html: html`${ours} <small>${lead?.label ?? ""}</small>` },
        claimCell(result),
      ];
    }),
  };
}

/** The words in the place of a verdict at a number of which the claim does not speak. */
const BESIDE = "beside the claim";

function figuresTable({ figures }: ExperimentResult): Table {
  return {
    head: ["Figure", "Ours (99 % interval)", "Verdict"],
    rows: figures.map(({ label, unit, value, verdict, note }) => {
      const mark = verdict === null ? BESIDE : (claimVerdictCell(verdict).html ?? null);
      const markup = html`${mark} <small>${note ?? ""}</small>`;
      return [label, shown(unit, value), { text: verdict ?? BESIDE, html: markup }];
    }),
    numeric: [1],
  };
}

function allVersions({ results }: ExperimentsRun): Definitions {
  const all = results.flatMap(({ versions }) => Object.entries(versions));
  return [...Map.groupBy(all, ([name]) => name)].map(([name, entries]) => {
    return [name, [...new Set(entries.map(([, version]) => version))].join(" and ")];
  });
}

/** Writes the page of a run: the verdicts in a table, and each claim with its figures. */
export function renderExperimentsHtml(run: ExperimentsRun): string {
  const { results, machine, timeMs } = run;
  const entries: Definitions = [
    ...allVersions(run),
    ...machineEntries(machineFacts(machine)),
    ["Client", `Node.js ${machine.clientNode}`],
    ["Time for each claim", timeMs === null ? "its own" : formatDuration(timeMs)],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
  ];
  const heading = claimCounts(run);
  const body = html`<a class="skip" href="#content">To the results</a>
<header><p class="place"><strong>Evenbench</strong> · published claims, checked on one machine, ${machineWords(machineFacts(machine))} · ${run.startedAt.slice(0, 10)}</p>
<h1>${heading}</h1>
<p class="control">Each claim was published about other machines and earlier versions.
What contradicts it here is a finding about these versions on this machine, no more.</p></header>
<main id="content">
${htmlTable("Published claims", overviewTable(run))}
<h2 id="claims">Claim by claim</h2>
${results.map(claimSection)}
<section aria-labelledby="machine"><h2 id="machine">Versions and machine</h2>${definitionList(entries)}</section>
</main>
<footer>Run ${run.id}, seed ${run.seed}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(heading, body);
}

function claimCounts(run: ExperimentsRun): string {
  const { results } = run;
  const parts = Object.keys(CLAIM_MARKS).flatMap((verdict) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const found =
    parts.length === 0
      ? "No claim was checked."
      : `Of ${counted(results.length, "published claim")}: ${listed(parts)}.`;
  return `${found} ${whyPartial(run)}`.trim();
}

/** Says why a run has not all claims; empty where it has. */
function whyPartial({ status, unfinished }: ExperimentsRun): string {
  if (status === "complete") {
    return "";
  }
  if (status === "running") {
    return "This run has not finished.";
  }
  const during = unfinished === null ? "" : ` while ${unfinished} was measured`;
  return `This run was interrupted${during}; claims that come later were not measured.`;
}

function claimSection(result: ExperimentResult): Markup {
  const { id, title, claim, published, reason, versions, durationMs } = result;
  const { publisher, title: text, date } = result.source;
  const notes = result.comparisons.flatMap((comparison) =>
    comparison.unmeasured.map(({ name, why }) => `${comparison.id}: ${name} was not measured: ${why}`),
  );
  const pages = [
    ...result.loads.map((folder) => ({ page: `${folder}/load.html`, what: "Under load" })),
    ...result.comparisons.flatMap(({ id: of, report }) =>
      report === null ? [] : [{ page: report, what: `Measurements: ${of}` }],
    ),
  ];
  const links = pages.map(({ page, what }) => html`<p class="key"><a href="${page}">${what}</a></p>`);
  return html`<section class="case" aria-labelledby="claim-${id}"><h3 id="claim-${id}">${title}<code>${id}</code></h3>
<p class="lead">${claim} Published: <strong>${published}</strong> (${publisher}, “${text}”${date === null ? "" : `, ${date}`}).</p>
<p>${claimCell(result).html ?? null} ${reason}</p>
${result.figures.length === 0 ? null : html`${htmlTable(`Figures of ${id}`, figuresTable(result))}\n`}${links}
${notes.length === 0 ? null : html`<details><summary>Notes</summary><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></details>`}
<p class="key">${Object.entries(versions).map((pair) => html`${pair.join(" ")}; `)}measured in ${formatDuration(durationMs)}.</p></section>
`;
}

/** Makes the table of claims with their verdicts alone: what was published of each stands above it. */
function claimTable({ results }: ExperimentsRun): Table {
  const rows = results.map((result) => {
    const lead = leadFigure(result);
    return [result.id, lead === null ? "–" : shown(lead.unit, lead.value), claimCell(result)];
  });
  return { head: ["Claim", "Ours (99 % interval)", "Verdict"], rows };
}

/** Writes the verdicts of a run for a terminal. */
export function renderExperimentsTerminal(run: ExperimentsRun, { width, color }: TerminalOptions): string {
  const paint = paintIf(color);
  const wrapped = (text: string, indent: number) => wrap(text, width, indent);
  const lines = run.results.flatMap((result) => [
    paint("bold", `${result.id}: ${terminalLine(result.title)}`),
    ...wrapped(`  published: ${result.published}. ${result.claim}`, 4),
    ...result.figures.flatMap((figure) => wrapped(`  ours: ${figureLine(figure)}`, 4)),
    paint(CLAIM_MARKS[result.verdict].colour, `  ${claimCell(result).text}`),
    ...wrapped(`  ${result.reason}`, 2).map((line) => paint("dim", line)),
    "",
  ]);
  const versions = allVersions(run).map((pair) => pair.join(" "));
  const said = [
    whyPartial(run),
    `On ${machineWords(machineFacts(run.machine))}, ${run.machine.system}.`,
    versions.join(", "),
  ];
  const foot = said.filter(Boolean).flatMap((line) => wrapped(line, 0));
  return `${[...lines, ...fittedTable(claimTable(run), width), "", ...foot].join("\n")}\n`;
}

/** Writes a figure as a line; where it decides nothing yet, with the reason. */
function figureLine({ label, unit, value, verdict, note }: Figure): string {
  const why = verdict === "unclear" && note !== null ? `: ${note}` : "";
  return `${label}: ${shown(unit, value)}${verdict === null ? "" : ` (${verdict}${why})`}`;
}

/** Writes a value with its interval, in its unit; a dash where it could not be had. */
export function shown(unit: FigureUnit, value: Estimate | number | null): string {
  if (value === null) {
    return "–";
  }
  const format = formatters[unit];
  if (typeof value === "number") {
    return format(value);
  }
  const { estimate, low, high } = value;
  if (unit === "ratio" && low !== high) {
    return formatRatio(value);
  }
  return low === high ? format(estimate) : `${format(estimate)} (${format(low)}–${format(high)})`;
}

const formatters: Readonly<Record<FigureUnit, (value: number) => string>> = {
  ratio: (value) => `${value.toFixed(2)}×`,
  share: formatPercent,
  ms: formatMs,
  bytes: formatBytes,
  usd: (value) => `$${Number(value.toPrecision(3))}`,
  count: (value) => (Number.isInteger(value) ? formatCount(value) : value.toFixed(2)),
  perSecond: (value) => `${value >= 100 ? formatCount(Math.round(value)) : value.toPrecision(3)}/s`,
};
