import {
  counted,
  escapedMarkdown,
  firstLine,
  MARKS,
  markdownTable,
  markWords,
  type Notice,
} from "@evenbench/page";
import { VERDICTS } from "@evenbench/stats";
import { furtherCpuSentences } from "../answer.ts";
import { adapterNotesOf, claimOf, sharedRuntimeNotes } from "../claim.ts";
import type { ReportData } from "../data.ts";
import { differenceTables } from "../differences.ts";
import { CARD_FILE, enginesNote, MARKDOWN_FILE, placeOf, whatRan } from "../names.ts";
import { ownerTables } from "../owner.ts";
import { repeatCommand } from "../repeat.ts";
import { COLD_START_NOTE, coldStartTable } from "../sections/costs.ts";
import { SECTIONS } from "../sections/index.ts";
import { planEntries, settingGroups } from "../settings.ts";
import { percentileTable, tableNote, verdictTable } from "../verdict-table.ts";
import type { Exporter } from "./exporter.ts";

/** The report for a pull request or an issue. */
export const markdown: Exporter<string> = {
  file: MARKDOWN_FILE,
  render: ({ data }) => renderMarkdown(data),
};

/** Writes the report for a pull request or an issue. Text from data is escaped; it ends with a newline. */
export function renderMarkdown(data: ReportData): string {
  const { run, summary } = data;
  const { heading, others } = claimOf(data);
  const notes = [
    ...furtherCpuSentences(data),
    ...sharedRuntimeNotes(data),
    ...adapterNotesOf(data),
    enginesNote(run),
  ];
  const answer = [...others, ...notes.filter((note) => note !== null)].join(" ");
  const lines = [
    `# ${escapedMarkdown(heading)}`,
    "",
    ...(answer === "" ? [] : [escapedMarkdown(answer), ""]),
    `${escapedMarkdown(placeOf(run))}. ${escapedMarkdown(whatRan(run))}`,
    "",
    ...voidNotes(data),
    // It lies beside this file. In a pull request the picture has to be attached by hand.
    `![${escapedMarkdown(heading)}](${CARD_FILE})`,
    "",
    ...numberLines(data),
    ...ownerLines(data),
    ...coldStartLines(data),
    ...differenceLines(data),
    ...noticeLines(data),
    ...(summary.answer === null || summary.failedChecks !== null
      ? []
      : [escapedMarkdown(summary.control), ""]),
    ...remarks(data),
    ...percentiles(data),
    ...additions(data),
    ...settingLines(data),
    ...folded("How it was measured", method(data)),
    `Evenbench ${escapedMarkdown(run.evenbenchVersion)}, run ${escapedMarkdown(run.id)}.`,
  ];
  return `${lines.join("\n").trimStart()}\n`;
}

/** The table of verdicts with its legend above it; nothing where nothing was measured. */
function numberLines(data: ReportData): readonly string[] {
  const table = verdictTable(data);
  if (table.rows.length === 0) {
    return [];
  }
  return [escapedMarkdown(signsLegend(data)), "", tableNote(data), "", ...markdownTable(table), ""];
}

/** Explains the signs of the verdicts that the run has: "◀ faster: takes less · = same: within 5 %". */
function signsLegend({ cases }: ReportData): string {
  const used = new Set(
    cases.flatMap(({ headline, cpuTime }) =>
      [headline, cpuTime].flatMap((by) => by?.comparisons.map(({ verdict }) => verdict) ?? []),
    ),
  );
  const signs = VERDICTS.filter((verdict) => used.has(verdict));
  return signs.map((verdict) => `${markWords(verdict)}: ${MARKS[verdict].says}`).join(" · ");
}

/** Writes what the owner of an app asks beside times. */
function ownerLines(data: ReportData): readonly string[] {
  return ownerTables(data).flatMap(({ title, table, note }) => [
    `**${title}**`,
    "",
    ...markdownTable(table),
    "",
    ...(note === "" ? [] : [escapedMarkdown(note), ""]),
  ]);
}

/** Writes the table of cold starts; empty where none were measured. */
function coldStartLines(data: ReportData): readonly string[] {
  const table = coldStartTable(data);
  return table === null ? [] : ["**Cold starts**", "", ...markdownTable(table), "", COLD_START_NOTE, ""];
}

/** Writes what makes results void as a warning of GitHub's. */
function voidNotes({ notices }: ReportData): readonly string[] {
  const voids = notices.filter(({ severity }) => severity === "void");
  if (voids.length === 0) {
    return [];
  }
  const line = ({ title, details }: Notice) =>
    `> **${title}:** ${escapedMarkdown(firstLine(details[0] ?? ""))}\\`;
  return [
    "> [!CAUTION]",
    ...voids.map(line),
    `> ${counted(voids.length, "notice")} of this kind; all stand below.`,
    "",
  ];
}

/** Folds lines away behind a title. */
function folded(title: string, lines: readonly string[]): readonly string[] {
  return [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>", ""];
}

/** Writes all notices, folded away. */
function noticeLines({ notices }: ReportData): readonly string[] {
  if (notices.length === 0) {
    return [];
  }
  const lines = notices.flatMap(({ title, details, remedy }) => [
    `- **${title}.** ${remedy}`,
    ...details.slice(0, 5).map((detail) => `  - ${escapedMarkdown(firstLine(detail))}`),
    ...(details.length > 5 ? [`  - and ${details.length - 5} more, in report.html`] : []),
  ]);
  return folded(counted(notices.length, "notice"), lines);
}

function percentiles(data: ReportData): readonly string[] {
  const table = percentileTable(data);
  return table === null
    ? []
    : folded("p95 and p99 of what has enough requests for them", markdownTable(table));
}

/** Writes what a reader should know of single targets. */
function remarks({ cases }: ReportData): readonly string[] {
  const lines = SECTIONS.flatMap((section) =>
    cases.flatMap((report) =>
      section
        .remarks(report)
        .map(
          ({ target, sentence }) =>
            `- ${escapedMarkdown(report.manifest.id)} on **${escapedMarkdown(target)}**: ${escapedMarkdown(sentence)}`,
        ),
    ),
  );
  return lines.length === 0 ? [] : [...lines, ""];
}

/** Writes what comes from elsewhere, such as a sweep of loads. */
function additions({ additions: added }: ReportData): readonly string[] {
  return [...added].flatMap(([caseId, { heading, findings, note }]) =>
    folded(`${heading}: ${escapedMarkdown(caseId)}`, [
      ...findings.map(
        ({ target, sentence }) => `- **${escapedMarkdown(target)}** ${escapedMarkdown(sentence)}`,
      ),
      "",
      escapedMarkdown(note),
    ]),
  );
}

/** Writes the tables of cases that several places measured. */
function differenceLines(data: ReportData): readonly string[] {
  return differenceTables(data.cases, data.targets, true).flatMap(({ title, note, ...table }) => [
    `**${escapedMarkdown(title)}**`,
    "",
    ...markdownTable(table),
    "",
    escapedMarkdown(note),
    "",
  ]);
}

/** Writes settings and facts of the targets, folded away. */
function settingLines(data: ReportData): readonly string[] {
  const lines = settingGroups(data).flatMap(({ heading, table, equal }) => [
    `**${escapedMarkdown(heading)}**`,
    "",
    ...(table.rows.length === 0 ? [] : [...markdownTable(table), ""]),
    ...(equal === "" ? [] : [escapedMarkdown(equal), ""]),
  ]);
  return lines.length === 0 ? [] : folded("Settings and facts", lines.slice(0, -1));
}

/** Writes how the run was measured, and the command that repeats it. */
function method({ run, cases }: ReportData): readonly string[] {
  const caches = cases.flatMap(({ manifest: { id, cached } }) =>
    cached === undefined ? [] : [`- ${escapedMarkdown(id)}: a cache is measured. ${escapedMarkdown(cached)}`],
  );
  const notes = cases.flatMap(({ manifest }) =>
    manifest.notSameCode === null
      ? []
      : [
          `- ${escapedMarkdown(manifest.id)}: not the same code on all targets. ${escapedMarkdown(manifest.notSameCode)}`,
        ],
  );
  return [
    ...planEntries(run).map(([name, value]) => `- ${name}: ${escapedMarkdown(value)}`),
    ...caches,
    ...notes,
    "",
    "```sh",
    repeatCommand(run),
    "```",
  ];
}
