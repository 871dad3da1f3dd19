import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { resultsTable } from "@evenbench/report";
import { readSummary } from "@evenbench/results";

/** @param folder has the run's summary.json and run.json: docs/findings/<date>. */
export async function findings(folder: string): Promise<void> {
  const kept = await readSummary(folder);
  const { answer, startedAt, runId, place, notices } = kept.summary;
  const sentences = (answer ?? "Nothing was compared.").split(/(?<=\.) (?=\p{Lu})/u);
  const caveats = `${place}. ${notices.length === 0 ? "No notices." : `Notices: ${notices.join(". ")}.`}`;
  const from = (page: string) =>
    `[Run ${runId}](${relative(join(repositoryRoot, page, ".."), join(folder, "summary.json"))})`;
  const readme = "README.md";
  const finding = "docs/findings/three-platforms.md";
  await fill(readme, [
    ...sentences.map((sentence) => `- **${sentence}**`),
    "",
    `${from(readme)}, ${startedAt.slice(0, 10)}. ${caveats}`,
  ]);
  await fill(finding, [
    ...sentences.map((sentence) => `- **${sentence}**`),
    "",
    "Time and CPU time as ratios to Node.js. Below 1 takes less. Brackets: 99 % intervals. Bold: a difference.",
    "",
    resultsTable(kept),
    "",
    `${from(finding)}. ${caveats}`,
  ]);
}

async function fill(page: string, lines: readonly string[]): Promise<void> {
  const file = join(repositoryRoot, page);
  const text = await readFile(file, "utf8");
  const marked = /(<!-- numbers -->\n)[\s\S]*?(\n<!-- end -->)/;
  if (!marked.test(text)) throw new Error(`${page} has no place for the numbers.`);
  await writeFile(
    file,
    text.replace(marked, (_, start, end) => `${start}\n${lines.join("\n")}\n${end}`),
  );
}
