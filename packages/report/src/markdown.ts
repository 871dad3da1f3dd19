import { BUILD_HEADS, buildRows, cellsOf } from "./builds.ts";
import type { ReportData } from "./data.ts";
import {
  counted,
  firstLine,
  formatDuration,
  formatMs,
  formatPercent,
  formatRatio,
  metricName,
  range,
  VERDICT_SYMBOLS,
} from "./format.ts";
import { repeatCommand } from "./repeat.ts";
import { type VerdictRow, verdictRows } from "./rows.ts";

/** The report for a pull request. Text from data is escaped; ends with a newline. */
export function renderMarkdown(data: ReportData): string {
  const { run, summary } = data;
  const lines = ["## Evenbench", "", escaped(summary.compared), ""];
  for (const { target, sentence } of summary.findings)
    lines.push(`- **${escaped(target)}** ${escaped(sentence)}`);
  if (summary.findings.length > 0) lines.push("");
  lines.push(escaped(summary.control), "");
  for (const { severity, title, details, remedy } of data.warnings) {
    lines.push(`> [!${severity === "void" ? "CAUTION" : "WARNING"}]`, `> **${title}.** ${remedy}`);
    for (const detail of details.slice(0, 5)) lines.push(`> - ${escaped(firstLine(detail))}`);
    if (details.length > 5) lines.push(`> - and ${details.length - 5} more, in report.html`);
    lines.push("");
  }
  lines.push(...verdictTable(data), "", ...additions(data));
  lines.push(`<details><summary>How it was measured</summary>`, "", ...method(data), "", "</details>", "");
  lines.push(...builds(data));
  lines.push(`Run ${escaped(run.id)}, Evenbench ${escaped(run.evenbenchVersion)}.`);
  return `${lines.join("\n")}\n`;
}

function verdictTable(data: ReportData): readonly string[] {
  const rows = verdictRows(data);
  if (rows.length === 0) return [];
  const head = [
    "Case",
    "Target",
    "Time to",
    "Median",
    "Ratio (95 % interval)",
    "Noise",
    "Verdict",
    "CPU time",
  ];
  const body = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId
      ? ""
      : `${escaped(row.caseId)}${row.notSameCode ? " (not the same code)" : ""}`,
    escaped(row.target),
    metricName(row.metric),
    formatMs(row.summary?.median ?? null),
    row.isBaseline ? "1" : formatRatio(row.comparison?.ratio ?? null),
    row.isBaseline && row.noiseFloor !== null ? `± ${formatPercent(row.noiseFloor)}` : "",
    row.isBaseline
      ? "baseline"
      : row.comparison
        ? `${VERDICT_SYMBOLS[row.comparison.verdict]} ${row.comparison.verdict}`
        : "–",
    cpuTime(row),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), "| --- | --- | --- | ---: | ---: | ---: | --- | ---: |", ...body.map(line)];
}

/** The system's account here; where it has none, that of the platform. */
function cpuTime({ cpu, providerCpu }: VerdictRow): string {
  if (cpu !== null) return `${formatMs(cpu.msPerExchange)}${cpu.ratio ? `, ${formatRatio(cpu.ratio)}` : ""}`;
  if (providerCpu === null) return "–";
  const { msPerRequest, joined, exchanges } = providerCpu;
  return `${formatMs(msPerRequest)} by its platform, of ${formatPercent(joined / exchanges)} of requests`;
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

function builds(data: ReportData): readonly string[] {
  const rows = buildRows(data);
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    "<details><summary>How the targets were built</summary>",
    "",
    line(["Target", ...BUILD_HEADS]),
    line(["---", ...BUILD_HEADS.map(() => "---")]),
    ...rows.map((row) => line([row.target, ...cellsOf(row)].map(escaped))),
    "",
    "</details>",
    "",
  ];
}

function method({ run, cases }: ReportData): readonly string[] {
  const { machine, plan } = run;
  const apart = machine.coresApart;
  const notes = cases.flatMap(({ manifest }) =>
    manifest.notSameCode === null
      ? []
      : [`- ${escaped(manifest.id)}: not the same code on all targets. ${escaped(manifest.notSameCode)}`],
  );
  return [
    "Ratios are target / baseline of medians; above 1 takes longer. Targets were visited in random order in every round, from fresh instances.",
    "",
    `- Started ${run.startedAt}; ${counted(plan.cases.length, "case")}, ${range(plan.generations)} sets of fresh instances each, ${formatDuration(Object.values(plan.caseBudgetMs).reduce((sum, ms) => sum + ms, 0))} in all.`,
    `- ${escaped(machine.system)}, ${escaped(machine.cpuModel)}, ${counted(machine.cores, "core")}; ${apart === null ? "client and servers shared cores" : `client on core ${escaped(apart.client)}, servers on ${escaped(apart.servers)}`}.`,
    ...notes,
    "",
    "```sh",
    repeatCommand(run).replaceAll("`", "'"),
    "```",
  ];
}

/** Nothing from data may be markup, a mention or a cell's end. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]#|~!]/g, "\\$&")
    .replaceAll("@", "@\u200b");
}
