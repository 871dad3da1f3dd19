import { formatDuration } from "@evenbench/core";
import type { Comparison, RatioInterval } from "@evenbench/stats";
import { timeLine } from "./answer.ts";
import { ofTarget } from "./case-report.ts";
import type { ReportData, Warning } from "./data.ts";
import {
  counted,
  firstLine,
  formatCount,
  formatMs,
  formatPercent,
  formatRatio,
  range,
  shortRange,
} from "./format.ts";
import { buildTable } from "./html/facts.ts";
import { vantageTables } from "./html/vantage-section.ts";
import { markWords } from "./marks.ts";
import { coresOf, machineLine, metricsOf, placeOf, whatRan } from "./names.ts";
import { repeatCommand } from "./repeat.ts";
import { effectOf, type VerdictRow, verdictRows } from "./rows.ts";
import { SECTIONS } from "./sections/index.ts";
import { escaped, markdownTable } from "./table.ts";

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
    ...folded("How it was measured", method(data)),
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

function folded(title: string, lines: readonly string[]): readonly string[] {
  return [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>", ""];
}

function notices({ warnings }: ReportData): readonly string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.flatMap(({ title, details, remedy }) => [
    `- **${title}.** ${remedy}`,
    ...details.slice(0, 5).map((detail) => `  - ${escaped(firstLine(detail))}`),
    ...(details.length > 5 ? [`  - and ${details.length - 5} more, in report.html`] : []),
  ]);
  return folded(counted(warnings.length, "notice"), lines);
}

function inWords({ summary }: ReportData): readonly string[] {
  if (summary.answer === null) return [];
  return [escaped(summary.compared), "", escaped(summary.control), ""];
}

function verdictTable(data: ReportData): readonly string[] {
  const rows = verdictRows(data);
  if (rows.length === 0) return [];
  const body = rows.map((row) => {
    const { report, target, isBaseline, isFirst, summary, comparison, cpuComparison } = row;
    const { id, notSameCode } = report.manifest;
    const ratio = comparison?.ratio ?? null;
    const effect =
      data.run.vantages === undefined ? (ratio === null ? "–" : shortRange(ratio)) : effectOf(row);
    return [
      isFirst ? `${id}${notSameCode === null ? "" : " (not the same code)"}` : "",
      target.name,
      isBaseline ? "" : verdictWords(comparison),
      isBaseline ? "baseline" : effect,
      formatMs(summary?.median ?? null),
      summary === null ? "–" : `${formatCount(summary.exchanges)} in ${summary.trials}`,
      cpuTime(row),
      isBaseline ? "" : verdictWords(cpuComparison),
    ];
  });
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
  return [
    ...markdownTable({ head, rows: body, numeric: [3, 4, 5, 6] }),
    "",
    `Time to the ${metricsOf(rows.map(({ report }) => report))}: the geometric mean of the trials' medians. n: requests, in so many trials. −25 %: 25 % less time.`,
  ];
}

function verdictWords(comparison: Comparison | null): string {
  return comparison === null ? "–" : markWords(comparison.verdict);
}

/** For each exchange where the system accounts for that; else the mean over all, or the platform's own account. */
function cpuTime({ report, target: { name }, cpuSummary, cpuComparison }: VerdictRow): string {
  const told = (ms: number | null, ratio: RatioInterval | null | undefined) =>
    `${formatMs(ms)}${ratio ? `, ${formatRatio(ratio)}` : ""}`;
  if (cpuSummary !== null) return told(cpuSummary.median, cpuComparison?.ratio);
  const cpu = ofTarget(report.cpu, name);
  if (cpu !== null) return told(cpu.msPerExchange, cpu.ratio);
  const byPlatform = ofTarget(report.providerCpu, name);
  if (byPlatform === null) return "–";
  const { msPerRequest, joined, exchanges } = byPlatform;
  return `${formatMs(msPerRequest)} by its platform, of ${formatPercent(joined / exchanges)} of requests`;
}

function remarks(data: ReportData): readonly string[] {
  return SECTIONS.flatMap(({ title, isAside, remarks: remarksOf }) => {
    const lines = data.cases.flatMap((report) =>
      remarksOf(report, data).map(
        ({ target, sentence }) =>
          `- ${escaped(report.manifest.id)} on **${escaped(target)}**: ${escaped(sentence)}`,
      ),
    );
    if (lines.length === 0) return [];
    return isAside ? folded(title, lines) : [...lines, ""];
  });
}

function additions({ additions: added }: ReportData): readonly string[] {
  return [...added].flatMap(([caseId, { heading, findings, note }]) =>
    folded(`${heading}: ${escaped(caseId)}`, [
      ...findings.map(({ target, sentence }) => `- **${escaped(target)}** ${escaped(sentence)}`),
      "",
      escaped(note),
    ]),
  );
}

function vantages(data: ReportData): readonly string[] {
  return vantageTables(data, "everything").flatMap(({ title, note, ...table }) => [
    `**${escaped(title)}**`,
    "",
    ...markdownTable(table),
    "",
    escaped(note),
    "",
  ]);
}

function builds(data: ReportData): readonly string[] {
  const table = buildTable(data);
  return table === null ? [] : folded("How the targets were built", markdownTable(table));
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
