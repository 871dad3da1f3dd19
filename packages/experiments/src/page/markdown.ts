import { escaped, formatDuration, machineLine } from "@evenbench/report/parts";
import type { ExperimentResult, ExperimentsRun } from "@evenbench/results";
import {
  allVersions,
  formatFigure,
  formatSource,
  formatVersions,
  leadFigure,
  notesOf,
  VERDICT_SIGNS,
} from "./format.ts";

/** All claims as Markdown: a table, then each with its figures. Text from data is escaped; ends with a newline. */
export function renderMarkdown(run: ExperimentsRun): string {
  const { machine, results } = run;
  const lines = [
    "## Published claims, checked",
    "",
    row(["Claim", "Published", "Ours (99 % interval)", "Verdict"]),
    row(["---", "---", "---:", "---"]),
    ...results.map((result) => {
      const lead = leadFigure(result);
      const ours = lead === null ? "–" : `${escaped(lead.label)}: ${formatFigure(lead)}`;
      return row([result.id, escaped(result.published), ours, verdict(result)]);
    }),
    "",
    `${escaped(machineLine(machine))}; ${run.timeMs === null ? "its own time" : formatDuration(run.timeMs)} for each claim. ${escaped(formatVersions(allVersions(results)))}.`,
    "",
    ...results.flatMap(section),
    `Run ${escaped(run.id)}, seed ${run.seed}, Evenbench ${escaped(run.evenbenchVersion)}.`,
  ];
  return `${lines.join("\n")}\n`;
}

function section(result: ExperimentResult): readonly string[] {
  const notes = notesOf(result);
  return [
    `### ${escaped(result.title)} (${result.id}): ${verdict(result)}`,
    "",
    `${escaped(result.claim)} Published: ${escaped(result.published)} (${escaped(formatSource(result.source))}).`,
    "",
    escaped(result.reason),
    "",
    ...(result.figures.length === 0 ? [] : [row(["Figure", "Ours", "Verdict"]), row(["---", "---:", "---"])]),
    ...result.figures.map((figure) =>
      row([escaped(figure.label), formatFigure(figure), figure.verdict ?? ""]),
    ),
    "",
    ...result.tables.flatMap(({ title, head, rows }) => [
      `**${escaped(title)}**`,
      "",
      row(head.map(escaped)),
      row(head.map((_, column) => (column === 0 ? "---" : "---:"))),
      ...rows.map((cells) => row(cells.map(escaped))),
      "",
    ]),
    ...(notes.length === 0
      ? []
      : [
          "<details><summary>Notes</summary>",
          "",
          ...notes.map((note) => `- ${escaped(note)}`),
          "",
          "</details>",
          "",
        ]),
  ];
}

function verdict({ verdict: word }: ExperimentResult): string {
  return `${VERDICT_SIGNS[word]} ${word}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
