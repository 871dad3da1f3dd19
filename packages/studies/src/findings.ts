import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { claimWords, leadFigure, shown } from "@evenbench/experiments";
import { repositoryRoot } from "@evenbench/host";
import { counted, listed, markdownTable } from "@evenbench/page";
import { processorOf, resultsTable } from "@evenbench/report";
import { type ExperimentResult, readExperiments, readSummary } from "@evenbench/results";
import { INTERVAL_WORDS } from "@evenbench/stats";

/**
 * Puts the numbers of a kept run into README.md and docs/findings/three-platforms.md.
 *
 * @param folder with the run's summary.json and run.json: docs/findings/<date>.
 */
export async function findings(folder: string): Promise<void> {
  const kept = await readSummary(folder);
  const { answer, startedAt, runId, place, notices } = kept.summary;
  const sentences = (answer ?? "Nothing was compared.").split(/(?<=\.) (?=\p{Lu})/u);
  const caveats = notices.length === 0 ? "No notices." : `Notices: ${notices.join(". ")}.`;
  const runFrom = (page: string) =>
    `[Run ${runId}](${relative(join(repositoryRoot, page, ".."), join(folder, "summary.json"))})`;
  const answers = [...sentences.map((sentence) => `- **${sentence}**`), ""];
  const readme = "README.md";
  const finding = "docs/findings/three-platforms.md";
  await fill(readme, [...answers, `${runFrom(readme)}, ${startedAt.slice(0, 10)}. ${place}. ${caveats}`]);
  await fill(finding, [
    ...answers,
    `Time and CPU time as ratios to Node.js. Below 1 takes less. Brackets: ${INTERVAL_WORDS}s. Bold: a difference.`,
    "",
    resultsTable(kept),
    "",
    `${runFrom(finding)}. ${caveats}`,
  ]);
}

/**
 * Puts the verdicts of runs of claims into docs/findings/published-claims.md.
 *
 * @param folders of the runs: of a claim that was checked twice, the later one counts.
 */
export async function claims(folders: readonly string[]): Promise<void> {
  const runs = (await Promise.all(folders.map(readExperiments))).sort((a, b) => a.id.localeCompare(b.id));
  const byId = new Map(runs.flatMap(({ results }) => results.map((result) => [result.id, result] as const)));
  // In this order: reversed, reproduced, not reproduced, inconclusive.
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
