import { formatDuration } from "@evenbench/core";
import type { Comparison } from "@evenbench/stats";
import { timeLine } from "./answer.ts";
import type { ReportData, Warning } from "./data.ts";
import {
  counted,
  firstLine,
  formatCount,
  formatMs,
  formatPercent,
  formatRatio,
  listed,
  metricName,
  range,
  shortRange,
} from "./format.ts";
import { buildTable } from "./html/facts.ts";
import { markWords } from "./marks.ts";
import { coresOf, machineLine, placeOf, whatRan } from "./names.ts";
import { kindRemarks, type Remark, warmUpRemarks } from "./remarks.ts";
import { repeatCommand } from "./repeat.ts";
import { effectOf, type VerdictRow, verdictRows } from "./rows.ts";
import { escaped, markdownTable } from "./table.ts";
import { vantageTables } from "./vantages.ts";

/** The report for a pull request. Text from data is escaped; ends with a newline. */
export function renderMarkdown(data: ReportData): string {
  const { run, summary } = data;
  const lines = [
    escaped(summary.answer ?? summary.compared),
    "",
    `${escaped(placeOf(run))}. ${escaped(whatRan(run))}`,
    "",
    ...voidNotes(data),
    ...verdictTable(data),
    "",
    ...vantages(data),
    ...notices(data),
    ...inWords(data),
    ...remarks(data),
    ...additions(data),
    `<details><summary>How it was measured</summary>`,
    "",
    ...method(data),
    "",
    "</details>",
    "",
    ...builds(data),
    `Evenbench ${escaped(run.evenbenchVersion)}, run ${escaped(run.id)}.`,
  ];
  return `${lines.join("\n").trimStart()}\n`;
}

function voidNotes({ warnings }: ReportData): readonly string[] {
  const voids = warnings.filter(({ severity }) => severity === "void");
  if (voids.length === 0) return [];
  const line = ({ title, details }: Warning) => `> **${title}:** ${escaped(firstLine(details[0] ?? ""))}\\`;
  return [
    "> [!CAUTION]",
    ...voids.map(line),
    `> ${counted(voids.length, "notice")} of this kind; all stand below.`,
    "",
  ];
}

function notices({ warnings }: ReportData): readonly string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ title, details, remedy }) => [
    `- **${title}.** ${remedy}`,
    ...details.slice(0, 5).map((detail) => `  - ${escaped(firstLine(detail))}`),
    ...(details.length > 5 ? [`  - and ${details.length - 5} more, in report.html`] : []),
  ]);
  return [
    `<details><summary>${counted(warnings.length, "notice")}</summary>`,
    "",
    ...lines,
    "",
    "</details>",
    "",
  ];
}

function inWords({ summary }: ReportData): readonly string[] {
  if (summary.answer === null) return [];
  return [escaped(summary.compared), "", escaped(summary.control), ""];
}

function verdictTable(data: ReportData): readonly string[] {
  const rows = verdictRows(data);
  if (rows.length === 0) return [];
  const overVantages = data.run.vantages !== undefined;
  const body = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId
      ? ""
      : `${row.caseId}${row.notSameCode ? " (not the same code)" : ""}`,
    row.target,
    row.isBaseline ? "" : verdictWords(row.comparison),
    row.isBaseline ? "baseline" : overVantages ? effectOf(row) : percentCell(row),
    formatMs(row.summary?.median ?? null),
    row.summary === null ? "–" : `${formatCount(row.summary.exchanges)} in ${row.summary.trials}`,
    cpuTime(row),
    row.isBaseline ? "" : verdictWords(row.cpuComparison),
  ]);
  const head = [
    "Case",
    "Target",
    "Verdict",
    "Less or more (99 % interval)",
    "Time",
    "n",
    "CPU time",
    "CPU verdict",
  ];
  const times = listed([...new Set(rows.map(({ metric }) => metricName(metric)))]);
  return [
    ...markdownTable({ head, rows: body, numeric: [3, 4, 5, 6] }),
    "",
    `Time to the ${times}: the geometric mean of the trials' medians. n: requests, in so many trials. −25 %: 25 % less time.`,
  ];
}

function percentCell({ comparison }: VerdictRow): string {
  return comparison?.ratio == null ? "–" : shortRange(comparison.ratio);
}

function verdictWords(comparison: Comparison | null): string {
  return comparison === null ? "–" : markWords(comparison.verdict);
}

/**
 * For each exchange where the system accounts for that, as the verdict beside it; else the mean over all, or
 * the platform's own account.
 */
function cpuTime({ cpuSummary, cpuComparison, cpu, providerCpu }: VerdictRow): string {
  if (cpuSummary !== null) {
    const ratio = cpuComparison?.ratio ?? null;
    return `${formatMs(cpuSummary.median)}${ratio === null ? "" : `, ${formatRatio(ratio)}`}`;
  }
  if (cpu !== null) return `${formatMs(cpu.msPerExchange)}${cpu.ratio ? `, ${formatRatio(cpu.ratio)}` : ""}`;
  if (providerCpu === null) return "–";
  const { msPerRequest, joined, exchanges } = providerCpu;
  return `${formatMs(msPerRequest)} by its platform, of ${formatPercent(joined / exchanges)} of requests`;
}

function remarks({ cases, targets }: ReportData): readonly string[] {
  const copies = new Set(targets.filter(({ copyOf }) => copyOf !== null).map(({ name }) => name));
  const line = (caseId: string, { target, sentence }: Remark) =>
    `- ${escaped(caseId)} on **${escaped(target)}**: ${escaped(sentence)}`;
  const kinds = cases.flatMap((report) =>
    kindRemarks(report).map((remark) => line(report.manifest.id, remark)),
  );
  const warmUps = cases.flatMap((report) =>
    warmUpRemarks(report, copies).map((remark) => line(report.manifest.id, remark)),
  );
  return [
    ...(kinds.length === 0 ? [] : [...kinds, ""]),
    ...(warmUps.length === 0
      ? []
      : ["<details><summary>Warm-up</summary>", "", ...warmUps, "", "</details>", ""]),
  ];
}

function additions({ additions: added }: ReportData): readonly string[] {
  return [...added].flatMap(([caseId, { heading, findings, note }]) => [
    `<details><summary>${heading}: ${escaped(caseId)}</summary>`,
    "",
    ...findings.map(({ target, sentence }) => `- **${escaped(target)}** ${escaped(sentence)}`),
    "",
    escaped(note),
    "",
    "</details>",
    "",
  ]);
}

function vantages(data: ReportData): readonly string[] {
  return vantageTables(data, "with compute times").flatMap(({ title, head, rows, note }) => [
    `**${escaped(title)}**`,
    "",
    ...markdownTable({ head, rows }),
    "",
    escaped(note),
    "",
  ]);
}

function builds(data: ReportData): readonly string[] {
  const table = buildTable(data);
  if (table === null) return [];
  return [
    "<details><summary>How the targets were built</summary>",
    "",
    ...markdownTable(table),
    "",
    "</details>",
    "",
  ];
}

function method({ run, cases }: ReportData): readonly string[] {
  const { machine, plan } = run;
  const budget = Object.values(plan.caseBudgetMs).reduce((sum, ms) => sum + ms, 0);
  const notes = cases.flatMap(({ manifest }) =>
    manifest.notSameCode === null
      ? []
      : [`- ${escaped(manifest.id)}: not the same code on all targets. ${escaped(manifest.notSameCode)}`],
  );
  return [
    run.vantages === undefined
      ? `Ratios are target / baseline within rounds, and of these the median; above 1 takes longer. Targets were visited in random order in every round, ${startsOf(run)}.`
      : `Measured from ${counted(run.vantages.length, "vantage")}, with fresh connections in every trial. Differences are target - baseline of medians, a value for each vantage; above 0 takes longer. Targets were visited in random order in every round.`,
    "",
    `- Started ${run.startedAt}. ${timeLine({ run, cases }) ?? ""}`.trimEnd(),
    `- ${counted(plan.cases.length, "case")}, ${range(plan.trials)} trials each${budget === 0 ? "" : `, ${formatDuration(budget)} in all`}.`,
    ...(machine === null ? [] : [`- ${escaped(machineLine(machine))}; cores ${escaped(coresOf(machine))}.`]),
    ...notes,
    "",
    "```sh",
    repeatCommand(run),
    "```",
  ];
}

/** Nobody can start the instances behind a URL anew. */
function startsOf({ plan: { targets } }: ReportData["run"]): string {
  const isAtUrl = targets.some(({ url, command }) => url !== null && command === undefined);
  return isAtUrl ? "over fresh connections in every trial" : "from fresh instances in every trial";
}
