import { existsSync } from "node:fs";
import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import {
  axis,
  type CaseAddition,
  chart,
  colourMark,
  counted,
  type Definitions,
  definitionList,
  formatDuration,
  formatMs,
  html,
  htmlDocument,
  htmlTable,
  type Markup,
  machineEntries,
  noticeList,
  seriesStyle,
  type TerminalOptions,
  terminalOptions,
  textTable,
  wrap,
} from "@evenbench/report";
import { LOAD_FILE, ownFolder, writeWhole } from "@evenbench/results";
import * as Plot from "@observablehq/plot";
import { formatCondition } from "../condition.ts";
import { SWEEP_FOLDER } from "../options.ts";
import {
  type CaseLoadReport,
  describeClient,
  describeTarget,
  findingsOf,
  formatRate,
  type LoadData,
  type LoadRow,
  loadRows,
  loadTable,
  MEASURES,
  type Measure,
  offeredBy,
  readLoadData,
} from "./data.ts";

export interface LoadReport {
  readonly data: LoadData;
  readonly terminal: string;
  /** What came out: a line for each case and target. */
  readonly answers: readonly string[];
  readonly htmlFile: string;
}

export async function createLoadReport(
  folder: string,
  { width }: TerminalOptions = terminalOptions(),
): Promise<LoadReport> {
  const data = await readLoadData(folder);
  const htmlFile = join(folder, "load.html");
  await writeWhole(htmlFile, renderHtml(data));
  const answers = data.cases.flatMap((report) =>
    findingsOf(report, data.run.plan.condition).map(
      ({ target, sentence }) => `${report.manifest.id}: ${target} ${sentence}`,
    ),
  );
  return { data, terminal: renderTerminal(data, width), answers: answers.map(terminalLine), htmlFile };
}

function renderTerminal(data: LoadData, width: number): string {
  const lines: string[] = [];
  const say = (text: string) => lines.push(...wrap(terminalLine(text), width, 2));
  for (const { title, details, remedy } of data.warnings) {
    const more = details.length > 1 ? ` (and ${details.length - 1} more)` : "";
    say(`! ${title}: ${details[0]}${more}`);
    lines.push(...wrap(`  ${remedy}`, width, 2));
  }
  const { engine, condition } = data.run.plan;
  if (engine !== null) lines.push(terminalLine(`Requests were sent by ${describeClient(data.run)}.`));
  for (const report of data.cases) {
    const table = loadTable(report);
    if (lines.length > 0) lines.push("");
    lines.push(terminalLine(`${report.manifest.id}: ${report.manifest.title}`));
    if (table.rows.length === 0) {
      lines.push("Nothing was measured.");
      continue;
    }
    lines.push(...textTable(table), ...wrap(table.key, width, 2), "");
    for (const { target, sentence } of findingsOf(report, condition)) say(`${target} ${sentence}`);
  }
  return `${lines.join("\n")}\n`;
}

const METHOD = {
  sweep:
    "Every target got every load in random order, in several trials. At a concurrency, each connection sends its next request when its last one is answered; at a rate, requests are sent when they are due, and latency counts from then.",
  capacity:
    "For each target the highest rate of arrivals was searched at which the condition held, in several trials. Requests were sent when they were due, and latency counts from then.",
} as const;

function renderHtml(data: LoadData): string {
  const { run } = data;
  const { condition } = run.plan;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · load · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, "case")}</h1>
<p class="answer">${condition === null ? "How targets answer as more is asked of them at a time." : `How much can be asked of targets while ${formatCondition(condition)} holds.`}</p>
<p class="control">${METHOD[condition === null ? "sweep" : "capacity"]}${run.plan.engine === null ? "" : ` They were sent by ${describeClient(run)}.`}</p></header>
<main id="content">
${noticeList(data.warnings)}
<h2 id="cases">Case by case</h2>
${data.cases.map((report) => caseSection(report, data))}
${machineSection(data)}
</main>
<footer>Run ${run.id}, seed ${run.plan.seed}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(`Evenbench load ${run.id}`, body);
}

function caseSection(report: CaseLoadReport, { run }: LoadData): Markup {
  const { id, title } = report.manifest;
  const findings = findingsOf(report, run.plan.condition);
  return html`<section class="case" aria-labelledby="case-${id}"><h3 id="case-${id}">${title}<code>${id}</code></h3>
<ul class="findings">${findings.map(({ target, colour, sentence }) => html`<li>${colourMark(target, colour)} ${sentence}</li>`)}</ul>
<p class="legend">${report.targets.map(({ target, colour }) => html`${colourMark(target.name, colour)} <small>${describeTarget(target)}</small> `)}</p>
${drawAll(DRAWINGS, report)}
${tableOf(report)}</section>
`;
}

function tableOf(report: CaseLoadReport): Markup {
  const table = loadTable(report);
  if (table.rows.length === 0) return html`<p>Nothing was measured.</p>`;
  // On paper its cells have to wrap, which numbers do not.
  return html`${htmlTable(`All numbers of ${report.manifest.id}`, { ...table, numeric: [] })}
<p class="key">${table.key}</p>`;
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
    ["Allowed to differ", plan.allowedPins.join(", ") || "nothing"],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
  ];
  return html`<section aria-labelledby="machine"><h2 id="machine">Plan and machine</h2>${definitionList(entries)}</section>`;
}

interface Drawing {
  readonly heading: string;
  readonly measure: Measure;
  readonly label: string;
  readonly caption: string;
  readonly inRun?: true;
  format(value: number): string;
}

const RING = "A ring: from there on requests wait for one another.";
/** Times may be drawn on a logarithmic axis; amounts begin at 0. */
const TIMES: readonly Measure[] = ["p50", "p99"];

const twoDigits = (value: number) => value.toFixed(2);

const DRAWINGS: readonly Drawing[] = [
  {
    heading: "Latency",
    measure: "p50",
    inRun: true,
    label: "median ms to the last byte",
    caption: "From the intended send time. Where a line rises, requests wait for one another.",
    format: formatMs,
  },
  {
    heading: "Slowest of a hundred",
    measure: "p99",
    label: "p99 of ms to the last byte",
    caption: "The latency that 99 of 100 requests kept within.",
    format: formatMs,
  },
  {
    heading: "Answers",
    measure: "perSecond",
    inRun: true,
    label: "answers per second",
    caption: "A line that stays level has no more to give: what is offered beyond waits.",
    format: formatRate,
  },
  {
    heading: "In flight on arrival",
    measure: "inFlight",
    label: "other requests in the instance",
    caption:
      "As the instance counted them. A handler that computes without waiting never sees another: its queue is in the socket, before JavaScript.",
    format: twoDigits,
  },
  {
    heading: "Outstanding when sent",
    measure: "outstanding",
    label: "unanswered requests of the client",
    caption: "As the client counted them: the queue with the request that is worked on.",
    format: twoDigits,
  },
  {
    heading: "CPU time",
    measure: "cpuMs",
    label: "CPU ms for each request",
    caption:
      "Of all threads of all the target's processes. Waiting is not in it: it stays level while latency rises.",
    format: formatMs,
  },
];

function drawAll(drawings: readonly Drawing[], report: CaseLoadReport): Markup {
  const rows = loadRows(report);
  return html`<div class="figures">${drawings.map((drawing) => draw(drawing, report, rows))}</div>`;
}

function draw(drawing: Drawing, report: CaseLoadReport, rows: readonly LoadRow[]): Markup | null {
  const { measure, heading, label } = drawing;
  const lines = report.targets
    .map(({ target, colour, before, saturation, stages }) => ({
      name: target.name,
      style: seriesStyle(colour, before),
      ringAt: saturation?.queuesFrom ?? null,
      points: stages.flatMap((summary) => {
        const y = MEASURES[measure](summary);
        return y === null ? [] : [{ x: offeredBy(summary.stage.load), y }];
      }),
      means: rows
        .filter((row) => row.target === target.name)
        .flatMap((row) => {
          const y = row[measure];
          return y === null ? [] : [{ x: row.offered, y, load: row.load }];
        }),
    }))
    .filter(({ points }) => points.length > 0);
  const values = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const offered = [...new Set(rows.map((row) => row.offered))].sort((a, b) => a - b);
  if (values.length === 0 || offered.length < 2) return null;
  const closed = report.targets[0]?.stages[0]?.stage.load.kind === "closed";
  const described = lines.map(
    ({ name, means }) =>
      `${name}: ${means.map(({ y, load }) => `${drawing.format(y)} at ${load}`).join(", ")}`,
  );
  const ringed = report.targets.some(({ saturation }) => (saturation?.queuesFrom ?? null) !== null);
  return chart({
    heading,
    caption: ringed ? `${drawing.caption} ${RING}` : drawing.caption,
    title: `${heading}, ${report.manifest.id}`,
    description: `${described.join(". ")}.`,
    x: {
      type: "log",
      label: closed ? "concurrency" : "requests offered per second",
      ...(closed ? { ticks: offered, tickFormat: String } : { ticks: 5, tickFormat: formatRate }),
    },
    y: {
      ...axis(TIMES.includes(measure) ? Math.min(...values) : 0, Math.max(...values) || 1),
      label,
      grid: true,
    },
    marks: lines.flatMap(({ style, points, means, ringAt }) => [
      Plot.line(means, { x: "x", y: "y", ...style, strokeWidth: 1.8 }),
      Plot.dot(points, { x: "x", y: "y", r: 2, fill: style.stroke }),
      Plot.dot(
        means.filter(({ x }) => x === ringAt),
        { x: "x", y: "y", r: 6, stroke: style.stroke, strokeWidth: 1.6 },
      ),
    ]),
  });
}

export async function sweepAdditions(folder: string): Promise<ReadonlyMap<string, CaseAddition>> {
  const sweep = join(folder, SWEEP_FOLDER);
  if (!existsSync(join(sweep, LOAD_FILE))) return new Map();
  await ownFolder(sweep);
  const { data } = await createLoadReport(sweep);
  const additions = data.cases.flatMap((report) =>
    report.targets.length === 0 ? [] : [[report.manifest.id, additionOf(report, data)] as const],
  );
  return new Map(additions);
}

function additionOf(report: CaseLoadReport, { run, warnings }: LoadData): CaseAddition {
  const told =
    warnings.length === 0
      ? ""
      : ` It has warnings: ${warnings.map(({ title }) => title.toLowerCase()).join("; ")}.`;
  return {
    heading: "As more is asked at a time",
    findings: findingsOf(report, null).map(({ target, sentence }) => ({ target, sentence })),
    note: `A sweep of its own after the run, from ${run.plan.trials} trials; none of its times is in any other figure or verdict. Everything of it is in ${SWEEP_FOLDER}/load.html.${told}`,
    figures: drawAll(
      DRAWINGS.filter(({ inRun }) => inRun),
      report,
    ),
  };
}
