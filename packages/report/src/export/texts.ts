import { UserError } from "@evenbench/core";
import {
  escapedMarkdown,
  formatBytes,
  formatMs,
  markdownTable,
  markedChange,
  sameNote,
  type Table,
  type TableCell,
} from "@evenbench/page";
import type { SummaryRow } from "@evenbench/results";
import { INTERVAL_WORDS, isDifference, isJudged, VERDICTS, type Verdict } from "@evenbench/stats";
import {
  byPlatform,
  measuredForm,
  placeOf,
  platformColumns,
  shownTargets,
  spokenBaselines,
  trialsWords,
  whatRan,
} from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { shortCommand } from "../repeat.ts";
import type { SummarisedRun } from "../summarised.ts";
import { NOTHING_COMPARED } from "../summary-answer.ts";

/** The parts of a run's table of results that can be left out. */
export interface TableOptions {
  /** True where each platform has a column of CPU time too, if that is known. Default: true. */
  readonly withCpu?: boolean;
}

/** A case of a run's table of results. */
interface TableCase {
  /** The case's title with a mark where platforms do not run the same code, and the length of its answers. */
  readonly title: string;
  /** The baseline's time by the headline metric, in milliseconds; null where it was not measured. */
  readonly baselineMs: number | null;
  readonly baseline: string;
  readonly time: ComparedRows;
  readonly cpu: ComparedRows;
}

interface ComparedRows {
  readonly headline: { readonly comparisons: readonly SummaryRow[] };
}

/**
 * Writes the changes of a run as one table in Markdown: a row for each case, a column for each platform.
 *
 * @throws {UserError} for a run of several vantages, or one that compared nothing.
 */
export function resultsTable(summarised: SummarisedRun, options: TableOptions = {}): string {
  const { run, summary } = summarised;
  if (run.machine === null) {
    throw new UserError(
      "This run was measured from several vantages: it has differences in milliseconds and no pooled change. Read its report.md.",
    );
  }
  const cases = casesOfTable(summarised);
  const table = changesTable(run, cases, options);
  if (table === null) {
    throw new UserError(
      "This run compared nothing, so it has no table of changes. Measure two targets or more.",
    );
  }
  const isNotSame = run.plan.cases.some(({ notSameCode }) => notSameCode !== null);
  const whole = run.status === "complete" ? "" : ", did not end";
  const where = [`${placeOf(run)}, ${run.startedAt.slice(0, 10)}${whole}`, whatRan(run)].filter(Boolean);
  const caveats = [summary.failedChecks, summary.unproven].filter((caveat) => caveat !== undefined);
  const remarks = [
    isNotSame ? "\\* Not the same code on all platforms." : "",
    ...caveats.map(escapedMarkdown),
  ];
  const { withCpu = true } = options;
  const shown = summary.rows.filter(({ headline, metric }) => headline || (withCpu && metric === "cpuMs"));
  return `${markdownTable(table).join("\n")}\n\n${changeLegend(shown)} ${escapedMarkdown(where.join("; "))}. ${remarks.filter(Boolean).join(" ")}`.trim();
}

/** Explains the cells of a table of results, "same" among them where one of its rows has that verdict. */
function changeLegend(rows: readonly SummaryRow[]): string {
  const level = rows.some(({ metric }) => metric === "cpuMs") ? "median (of CPU time: the mean)" : "median";
  const sizes = rows.some(({ responseBytes = null }) => responseBytes !== null)
    ? " Behind a case: the size of one answer."
    : "";
  const legend = `Change of the ${level} against the baseline, with its ${INTERVAL_WORDS}: − takes less, + takes more. Bold: a difference.${sizes}`;
  return `${legend} ${sameNote(rows.map(rowVerdict))}`.trim();
}

/** Gives the verdict of a row; null where it has none that is known today. */
function rowVerdict(row: SummaryRow | null): Verdict | null {
  return VERDICTS.find((known) => known === row?.verdict) ?? null;
}

function casesOfTable({ run, summary }: SummarisedRun): readonly TableCase[] {
  const manifests = new Map(run.plan.cases.map((manifest) => [manifest.id, manifest]));
  return [...Map.groupBy(summary.rows, ({ caseId }) => caseId)].map(([id, rows]) => {
    const compared = (matches: (row: SummaryRow) => boolean): ComparedRows => ({
      headline: { comparisons: rows.filter((row) => row.verdict !== null && matches(row)) },
    });
    const itself = rows.find(({ target, baseline, headline }) => headline && target === baseline);
    const bytes = itself?.responseBytes ?? null;
    const size = bytes === null ? "" : `, ${formatBytes(bytes).replace(" ", "\u00a0")}`;
    const { title = id, notSameCode = null } = manifests.get(id) ?? {};
    return {
      title: `${title}${notSameCode === null ? "" : " *"}${size}`,
      baseline: itself?.baseline ?? rows[0]?.baseline ?? "",
      baselineMs: itself?.medianMs ?? null,
      time: compared(({ headline }) => headline),
      cpu: compared(({ metric }) => metric === "cpuMs"),
    };
  });
}

/** null where nothing was compared. */
function changesTable(
  { plan }: SummarisedRun["run"],
  cases: readonly TableCase[],
  { withCpu = true }: TableOptions,
): Table | null {
  const targets = shownTargets(plan.targets).toSorted(byPlatform);
  const columns = platformColumns(
    targets,
    cases.map(({ time }) => time),
  );
  if (columns.length === 0) {
    return null;
  }
  const hasCpu = withCpu && cases.some(({ cpu }) => cpu.headline.comparisons.length > 0);
  const head = columns.flatMap(({ spoken }) => [spoken, ...(hasCpu ? [`${spoken}, CPU time`] : [])]);
  const rows = cases.map(({ title, baselineMs, time, cpu }) => [
    title,
    formatMs(baselineMs),
    ...columns.flatMap(({ comparisonIn }) => [
      changeCell(comparisonIn(time)),
      ...(hasCpu ? [changeCell(comparisonIn(cpu))] : []),
    ]),
  ]);
  const first = isOfOwnServers(plan) ? "Path" : "Case";
  return { head: [first, spokenBaselines(targets, cases), ...head], rows, numeric: [1] };
}

/** Who pastes the table takes a number for a result: what is not judged has none. */
function changeCell(row: SummaryRow | null): TableCell {
  const verdict = rowVerdict(row);
  const text = markedChange({ verdict, ratio: row?.ratio ?? null });
  return { text: text.replaceAll(" ", "\u00a0"), strong: isDifference(verdict) };
}

/**
 * Writes what can be pasted: the answer, a line for each case, what it does not say, the command, and where others add
 * their numbers.
 */
export function shareText(summarised: SummarisedRun): string {
  const { run, summary } = summarised;
  const headlines = summary.rows.filter(({ headline }) => headline);
  const isWarm = headlines.some(({ verdict }) => isJudged(verdict));
  const facts = [
    ...trialsWords(headlines),
    ...(isWarm ? ["warm code"] : []),
    ...(run.plan.targets.every(({ place }) => place === "local") ? ["no network"] : []),
  ];
  const titles = summary.notices.map((title) => title.replaceAll(";", ","));
  const notices = titles.length === 0 ? "" : ` Notices: ${titles.join("; ")}.`;
  const table = run.machine === null ? null : changesTable(run, casesOfTable(summarised), { withCpu: false });
  const form = isOfOwnServers(run.plan) ? null : measuredForm(run.source?.repository ?? null);
  const lines = [
    summary.answer ?? NOTHING_COMPARED,
    "",
    ...(table === null ? [] : [...markdownTable(table), "", changeLegend(headlines)]),
    `${[placeOf(run), facts.join(", ")].filter(Boolean).join("; ")}.${notices}`,
    ...(whatRan(run) === "" ? [] : [`${whatRan(run)}.`]),
    "",
    shortCommand(run),
    `Evenbench ${run.evenbenchVersion}, run ${run.id}`,
    ...(form === null ? [] : [`Does it hold on your machine? Attach summary.json: ${form}`]),
  ];
  return lines.join("\n");
}
