import { existsSync } from "node:fs";
import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import {
  colourMark,
  counted,
  type Definitions,
  definitionList,
  fittedTable,
  formatDuration,
  html,
  htmlDocument,
  htmlTable,
  type Markup,
  noticeList,
  type TerminalOptions,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import { type CaseAddition, machineEntries, processorOf } from "@evenbench/report";
import { LOAD_FILE, makeResultsFolder, writeWhole } from "@evenbench/results";
import { formatCondition } from "../condition.ts";
import { SWEEP_FOLDER } from "../options.ts";
import {
  type CaseLoadReport,
  describeClient,
  describeInstances,
  formatRate,
  type LoadData,
  readLoadData,
} from "./data.ts";
import { loadFigures, loadTable } from "./numbers.ts";

/** The report of a load. */
export interface LoadReport {
  readonly data: LoadData;
  /** The text for a terminal. */
  readonly terminal: string;
  /** The findings, a line for each target of each case. */
  readonly answers: readonly string[];
  /** Path of the page. */
  readonly htmlFile: string;
  /** The damage of the samples, in words; null where all can be read. */
  readonly damage: string | null;
}

/**
 * Makes the report of a load's folder, and writes its page (`load.html`) there.
 *
 * @throws {ResultsError} where the folder cannot be read.
 */
export async function createLoadReport(
  folder: string,
  { width }: TerminalOptions = terminalOptions(),
): Promise<LoadReport> {
  const data = await readLoadData(folder);
  const htmlFile = join(folder, "load.html");
  await writeWhole(htmlFile, renderLoadHtml(data));
  const answers = data.cases.flatMap(({ manifest, findings }) =>
    findings.map(({ target, sentence }) => `${manifest.id}: ${target.name} ${sentence}`),
  );
  return {
    data,
    terminal: renderLoadTerminal(data, width),
    answers: answers.map(terminalLine),
    htmlFile,
    damage: data.damage,
  };
}

/** The columns of a row that say what was asked of which target. */
const NAMING_COLUMNS = 2;

/** Writes the report for a terminal. */
function renderLoadTerminal({ run, notices, cases }: LoadData, width: number): string {
  const wrapped = (text: string) => wrap(text, width, 2);
  const noticeLines = notices.flatMap(({ title, details, remedy }) => {
    const more = details.length > 1 ? ` (and ${details.length - 1} more)` : "";
    return [...wrapped(`! ${title}: ${details[0]}${more}`), ...wrapped(`  ${remedy}`)];
  });
  const sender =
    run.plan.engine === null ? [] : [terminalLine(`Requests were sent by ${describeClient(run)}.`)];
  const head = [...noticeLines, ...sender];
  const blocks = cases.map((report) => {
    const table = loadTable(report);
    const title = terminalLine(`${report.manifest.id}: ${report.manifest.title}`);
    const findings = report.findings.flatMap(({ target, sentence }) => wrapped(`${target.name} ${sentence}`));
    if (table.rows.length === 0) {
      return [title, "Nothing was measured.", ...findings];
    }
    return [title, ...fittedTable(table, width, NAMING_COLUMNS), ...wrapped(table.key), "", ...findings];
  });
  const shown = head.length === 0 ? blocks : [...blocks, head];
  return `${shown.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Sentences on how a load was sent, by its goal. */
const METHOD = {
  sweep:
    "Every target got every load in random order, in several trials. At a concurrency, each connection sends its next request when its last one is answered; at a rate, requests are sent when they are due, and latency counts from then.",
  capacity:
    "For each target the highest rate of arrivals was searched at which the condition held, in several trials. Requests were sent when they were due, and latency counts from then.",
} as const;

/** Writes the page. */
function renderLoadHtml(data: LoadData): string {
  const { run } = data;
  const { condition } = run.plan;
  const heading = loadHeading(data);
  const sender = run.plan.engine === null ? "" : ` They were sent by ${describeClient(run)}.`;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><p class="place"><strong>Evenbench</strong> · load · ${sentFromWords(run)} · ${run.startedAt.slice(0, 10)} · ${counted(run.plan.cases.length, "case")}</p>
<h1>${heading}</h1>
<p class="control">${METHOD[condition === null ? "sweep" : "capacity"]}${sender}</p></header>
<main id="content">
${noticeList(data.notices)}
<h2 id="cases">${data.cases.length === 1 ? "Results" : "Case by case"}</h2>
${data.cases.map(loadedCaseSection)}
${machineSection(data)}
</main>
<footer>Run ${run.id}, seed ${run.plan.seed}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(heading, body);
}

/** Writes the heading of a load's page: how much each target answers in its case. */
function loadHeading({ run, cases }: LoadData): string {
  const { condition } = run.plan;
  const [first] = cases;
  if (cases.every(({ targets }) => targets.length === 0)) {
    return first === undefined || cases.length > 1
      ? "Nothing was measured."
      : `${first.manifest.title}: nothing was measured.`;
  }
  if (first === undefined || cases.length > 1) {
    return condition === null
      ? `What targets answer in ${counted(cases.length, "case")} as more is asked at a time`
      : `How much can be asked in ${counted(cases.length, "case")} while ${formatCondition(condition)} holds`;
  }
  const rates = first.targets.flatMap(({ target, saturation, capacity }) => {
    const perSecond = saturation?.mostPerSecond ?? capacity?.perSecond?.median ?? null;
    return perSecond === null ? [] : [{ name: target.spoken, perSecond }];
  });
  const [most, ...others] = rates.toSorted((a, b) => b.perSecond - a.perSecond);
  const { title } = first.manifest;
  if (most === undefined) {
    return `${title}: how targets answer as more is asked of them`;
  }
  const held = condition === null ? "" : ` with ${formatCondition(condition)}`;
  const rest = others.map(({ name, perSecond }) => `, ${name} ${formatRate(perSecond)}`).join("");
  // One load alone does not say what the most is.
  const isSearched =
    condition !== null || first.targets.some(({ saturation }) => (saturation?.levels.length ?? 0) > 1);
  const atMost = isSearched ? " at most" : "";
  return `${title}: ${most.name} answers ${formatRate(most.perSecond)} requests a second${atMost}${held}${rest}`;
}

/** Says from where a load was sent, and whether its targets were there, too. */
function sentFromWords({ plan, machine }: LoadData["run"]): string {
  if (machine === null) {
    return "sent from several machines";
  }
  const isLocal = plan.targets.every(({ place }) => place === "local");
  return isLocal ? `local run: one machine, ${processorOf(machine)}` : `sent from ${processorOf(machine)}`;
}

function loadedCaseSection(report: CaseLoadReport): Markup {
  const { manifest, targets, findings } = report;
  const { id, title } = manifest;
  const table = loadTable(report);
  // On paper its cells have to wrap, which numbers do not.
  const numbers = html`${htmlTable(`All numbers of ${id}`, { ...table, numeric: [] })}
<p class="key">${table.key}</p>`;
  return html`<section class="case" aria-labelledby="case-${id}"><h3 id="case-${id}">${title}<code>${id}</code></h3>
<ul class="findings">${findings.map(({ target, sentence }) => html`<li>${colourMark(target.spoken, target.colour)} ${sentence}</li>`)}</ul>
<p class="legend">${targets.map(({ target }) => html`${colourMark(target.spoken, target.colour)} <small>${describeInstances(target)}</small> `)}</p>
${loadFigures(report)}
${table.rows.length === 0 ? html`<p>Nothing was measured.</p>` : numbers}</section>
`;
}

function machineSection({ run }: LoadData): Markup {
  const { machine, plan } = run;
  const entries: Definitions = [
    ["Trials", String(plan.trials)],
    [
      "Length of a stage",
      `${formatDuration(plan.stageMs)}, longer at a concurrency above 8; its first quarter is not measured`,
    ],
    ...(machine === null ? [] : machineEntries(machine)),
    ["Client", describeClient(run)],
    ["Settings allowed to differ", plan.allowedPins.join(", ") || "none"],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
  ];
  return html`<section aria-labelledby="machine"><h2 id="machine">Plan and machine</h2>${definitionList(entries)}</section>`;
}

/**
 * Makes the additions to the report of a run from the sweep that followed it, by case id; none where there was no
 * sweep. It writes the sweep's own report, too.
 */
export async function sweepAdditions(folder: string): Promise<ReadonlyMap<string, CaseAddition>> {
  const sweep = join(folder, SWEEP_FOLDER);
  if (!existsSync(join(sweep, LOAD_FILE))) {
    return new Map();
  }
  await makeResultsFolder(sweep);
  const { data } = await createLoadReport(sweep);
  const wrong = data.notices.map(({ title }) => title.toLowerCase()).join("; ");
  const note = `A sweep of its own after the run, from ${data.run.plan.trials} trials; none of its times is in any other figure or verdict. Everything of it is in ${SWEEP_FOLDER}/load.html.${wrong && ` It has notices: ${wrong}.`}`;
  const measured = data.cases.filter(({ targets }) => targets.length > 0);
  return new Map(
    measured.map((report): [string, CaseAddition] => {
      const findings = report.findings.map(({ target, sentence }) => ({ target: target.name, sentence }));
      const figures = loadFigures(report, ({ inRun = false }) => inRun);
      return [report.manifest.id, { heading: "As more is asked at a time", findings, note, figures }];
    }),
  );
}
