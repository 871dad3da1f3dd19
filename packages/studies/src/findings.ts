import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { formatDuration } from "@evenbench/core";
import { claimWords, leadFigure, shown } from "@evenbench/experiments";
import { repositoryRoot } from "@evenbench/host";
import { counted, listed, markdownTable } from "@evenbench/page";
import {
  createReport,
  notesOfSummary,
  processorOf,
  resultsTable,
  sentencesOfSummary,
  shortCommand,
} from "@evenbench/report";
import {
  type ExperimentResult,
  RUN_FILE,
  type Run,
  readExperiments,
  readSummary,
  SAMPLES_FILE,
  SUMMARY_FILE,
} from "@evenbench/results";
import { INTERVAL_WORDS } from "@evenbench/stats";

/** The name of the file that has what a kept run printed at its end. */
const TERMINAL_FILE = "terminal.txt";
/** A terminal of usual width; what is kept has no colours. */
const KEPT_TERMINAL = { width: 80, color: false };

/**
 * Keeps a run in docs/findings/<date>, and puts its numbers into README.md and docs/findings/three-platforms.md. Its
 * answer is written anew, by today's rules: the one that was recorded keeps those of its day.
 *
 * @param folder of a run with its samples, or docs/findings/<date> itself, whose files are then taken as they are.
 */
export async function findings(folder: string): Promise<void> {
  const kept = existsSync(join(folder, SAMPLES_FILE)) ? await keepPublished(folder) : folder;
  const summarised = await readSummary(kept);
  const { run, summary } = summarised;
  const terminal = (await readFile(join(kept, TERMINAL_FILE), "utf8")).trimEnd();
  const answers = [...sentencesOfSummary(summarised).map((sentence) => `- **${sentence}**`), ""];
  const caveats = summary.notices.length === 0 ? "No notices." : `Notices: ${summary.notices.join(". ")}.`;
  const notes = notesOfSummary(summarised);
  const noteLines = notes === "" ? [] : [notes, ""];
  const footerOf = (page: string) =>
    `[Run ${summary.runId}](${relative(join(repositoryRoot, page, ".."), join(kept, "summary.json"))}), ${costOf(run)}. ${caveats}`;
  const readme = "README.md";
  const finding = "docs/findings/three-platforms.md";
  await fill(readme, [
    ...answers,
    resultsTable(summarised, { withCpu: false }),
    "",
    ...noteLines,
    footerOf(readme),
    "",
    "The end of that run, as the terminal shows it:",
    "",
    "```text",
    terminal,
    "```",
  ]);
  await fill(finding, [...answers, resultsTable(summarised), "", ...noteLines, footerOf(finding)]);
}

/** Copies what is published of a run. @returns the folder with the copy. */
async function keepPublished(folder: string): Promise<string> {
  const { data, summary, terminal } = await createReport(folder, KEPT_TERMINAL);
  const kept = join(repositoryRoot, "docs/findings", summary.startedAt.slice(0, 10));
  await mkdir(kept, { recursive: true });
  const lists = { usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
  await writeFile(join(kept, RUN_FILE), `${JSON.stringify({ ...data.run, ...lists }, null, 2)}\n`);
  await writeFile(join(kept, SUMMARY_FILE), `${JSON.stringify(summary, null, 2)}\n`);
  await writeFile(join(kept, TERMINAL_FILE), terminal);
  return kept;
}

/** Says which command made a run, and how long that took: "by `npm run bench`, in 11 min 4 s". */
function costOf(run: Run): string {
  const { startedAt, finishedAt } = run;
  const took =
    finishedAt === null ? "" : `, in ${formatDuration(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  return `by \`${shortCommand(run)}\`${took}`;
}

/**
 * Puts the verdicts of runs of claims into docs/findings/published-claims.md.
 *
 * @param folders of the runs: of a claim that was checked twice, the later one counts.
 */
export async function claims(folders: readonly string[]): Promise<void> {
  const runs = (await Promise.all(folders.map(readExperiments))).sort((a, b) => a.id.localeCompare(b.id));
  const byId = new Map(runs.flatMap(({ results }) => results.map((result) => [result.id, result] as const)));
  // In this order: reversed, reproduced, not reproduced, unclear.
  const groups = [...Map.groupBy(byId.values(), ({ verdict }) => verdict)].sort(([a], [b]) =>
    b.localeCompare(a),
  );
  const counts = groups.map(([verdict, results]) => `${results.length} ${verdict}`);
  const rows = groups.flatMap(([, results]) => results).map(rowOfClaim);
  const days = [...new Set(runs.map(({ startedAt }) => startedAt.slice(0, 10)))];
  const machines = [...new Set(runs.map(({ machine }) => processorOf(machine)))];
  const named = Object.assign({}, ...[...byId.values()].map(({ versions }) => versions));
  const versions = ["Node.js", "workerd", "Next.js"].map((name) => `${name} ${named[name]}`);
  await fill("docs/findings/published-claims.md", [
    `**Of ${counted(byId.size, "claim")}: ${listed(counts)}.**`,
    "",
    ...markdownTable({ head: ["claim", "published", `measured (${INTERVAL_WORDS})`, "verdict"], rows }),
    "",
    "Claims of several parts, part by part:",
    "",
    ...markdownTable({
      head: ["claim", "part", `measured (${INTERVAL_WORDS})`, "verdict"],
      rows: groups.flatMap(([, results]) => results).flatMap(rowsOfParts),
    }),
    "",
    `**Measured** on ${listed(days)}: ${listed(machines)}; ${versions.join(", ")}.`,
  ]);
}

/** Makes the row of a claim. */
function rowOfClaim(result: ExperimentResult): readonly string[] {
  const lead = leadFigure(result);
  const measured = lead ? `${lead.label}: ${shown(lead.unit, lead.value)}` : "–";
  return [result.id, result.published, measured, claimWords(result)];
}

/** Makes a row of each part of a claim; none of a claim that has one part alone. */
function rowsOfParts({ id, figures }: ExperimentResult): readonly (readonly string[])[] {
  const parts = figures.filter(({ verdict }) => verdict !== null);
  if (parts.length < 2) {
    return [];
  }
  return parts.map(({ label, unit, value, verdict }) => [id, label, shown(unit, value), verdict ?? ""]);
}

/** Puts lines between the marks of a page. @throws where it has none. */
async function fill(page: string, lines: readonly string[]): Promise<void> {
  const file = join(repositoryRoot, page);
  const text = await readFile(file, "utf8");
  const marked = /(<!-- numbers -->\n)[\s\S]*?(\n<!-- end -->)/;
  if (!marked.test(text)) {
    throw new Error(`${page} has no place for the numbers.`);
  }
  await writeFile(
    file,
    text.replace(marked, (_, start, end) => `${start}\n${lines.join("\n")}\n${end}`),
  );
}
