import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { claimWords, leadFigure, shown } from "@evenbench/experiments";
import { repositoryRoot } from "@evenbench/host";
import { counted, listed, markdownTable } from "@evenbench/page";
import { machineFacts, machineWords, readFacts, readme } from "@evenbench/report";
import { type ExperimentResult, FACTS_FILE, RUN_FILE, readExperiments } from "@evenbench/results";
import { CONFIDENCE_LEVEL } from "@evenbench/stats";

/**
 * Keeps a run's facts in docs/findings/<date>, and puts its numbers into README.md.
 *
 * @param folder of a run with its samples, or docs/findings/<date> itself.
 */
export async function findings(folder: string): Promise<void> {
  const { facts, run } = await readFacts(folder);
  const kept = join(repositoryRoot, "docs/findings", facts.run.startedAt.slice(0, 10));
  await mkdir(kept, { recursive: true });
  if (run !== null) {
    const lists = { usage: [], warmUps: [], clientLoad: [], timelines: [], coldStarts: [] };
    await writeFile(join(kept, RUN_FILE), `${JSON.stringify({ ...run, ...lists }, null, 2)}\n`);
  }
  const file = join(kept, FACTS_FILE);
  await writeFile(file, `${JSON.stringify(facts)}\n`);
  await fill("README.md", [readme(facts, relative(repositoryRoot, file))]);
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
  const machines = [...new Set(runs.map(({ machine }) => machineWords(machineFacts(machine))))];
  const named = Object.assign({}, ...[...byId.values()].map(({ versions }) => versions));
  const versions = ["Node.js", "workerd", "Next.js"].map((name) => `${name} ${named[name]}`);
  await fill("docs/findings/published-claims.md", [
    `**Of ${counted(byId.size, "claim")}: ${listed(counts)}.**`,
    "",
    ...markdownTable({
      head: ["claim", "published", `measured (${100 * CONFIDENCE_LEVEL} % interval)`, "verdict"],
      rows,
    }),
    "",
    "Claims of several parts, by the parts that were measured:",
    "",
    ...markdownTable({
      head: ["claim", "part", `measured (${100 * CONFIDENCE_LEVEL} % interval)`, "verdict"],
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

/** Makes a row of each measured part of a claim; none of a claim that has one part alone. */
function rowsOfParts({ id, figures }: ExperimentResult): readonly (readonly string[])[] {
  const parts = figures.filter(({ verdict }) => verdict !== null);
  if (parts.length < 2) {
    return [];
  }
  const measured = parts.filter(({ value }) => value !== null);
  return measured.map(({ label, unit, value, verdict }) => [id, label, shown(unit, value), verdict ?? ""]);
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
