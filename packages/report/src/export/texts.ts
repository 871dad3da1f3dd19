import { UserError } from "@evenbench/core";
import { type Cell, escaped, markdownTable, saysNothing, TOO_FEW_TRIALS } from "@evenbench/page";
import type { SummaryRow } from "@evenbench/results";
import { isDifference, isJudged } from "@evenbench/stats";
import { byPlatform, CARD_FILE, columnsOf, placeOf, shownTargets, trialsWords, whatRan } from "../names.ts";
import { shortCommand } from "../repeat.ts";
import type { SummarisedRun } from "../summarised.ts";

/**
 * Writes the ratios of a run as one table in Markdown.
 *
 * @throws {UserError} for a run of several vantages, or one that compared nothing.
 */
export function resultsTable({ run, summary }: SummarisedRun): string {
  const { plan } = run;
  const cases = [...Map.groupBy(summary.rows, ({ caseId }) => caseId)].map(([id, rows]) => {
    const compared = (matches: (row: SummaryRow) => boolean) => ({
      headline: { comparisons: rows.filter((row) => row.verdict !== null && matches(row)) },
    });
    return {
      id,
      time: compared(({ headline }) => headline),
      cpu: compared(({ metric }) => metric === "cpuMs"),
    };
  });
  const columns = columnsOf(
    shownTargets(plan.targets).toSorted(byPlatform),
    cases.map(({ time }) => time),
  );
  if (run.machine === null) {
    throw new UserError(
      "This run was measured from several vantages: it has differences in milliseconds and no pooled ratio. Read its report.md.",
    );
  }
  if (columns.length === 0) {
    throw new UserError(
      "This run compared nothing, so it has no table of ratios. Measure two targets or more.",
    );
  }
  const hasCpu = summary.rows.some(({ metric }) => metric === "cpuMs");
  const head = columns.flatMap(({ title }) => [`${title}, time`, ...(hasCpu ? [`${title}, CPU time`] : [])]);
  const notSame = plan.cases.flatMap(({ id, notSameCode }) => (notSameCode === null ? [] : id));
  const rows = cases.map(({ id, time, cpu }) => [
    `${id}${notSame.includes(id) ? " *" : ""}`,
    ...columns.flatMap(({ comparisonIn }) => [
      ratioCell(comparisonIn(time)),
      ...(hasCpu ? [ratioCell(comparisonIn(cpu))] : []),
    ]),
  ]);
  const whole = run.status === "complete" ? "" : ", did not end";
  const where = [`${placeOf(run)}, ${run.startedAt.slice(0, 10)}${whole}`, whatRan(run)].filter(Boolean);
  const remark = notSame.length === 0 ? "" : " \\* Not the same code on all platforms.";
  const unproven = summary.unproven === undefined ? "" : ` ${escaped(summary.unproven)}`;
  return `${markdownTable({ head: ["case", ...head], rows }).join("\n")}\n\n${escaped(where.join("; "))}.${remark}${unproven}`;
}

/** Writes a comparison as a ratio with its interval; as its verdict where nothing was judged. */
function ratioCell(row: SummaryRow | null): Cell {
  // Who pastes the table takes a number for a result.
  if (row?.verdict != null && !isJudged(row.verdict)) {
    return row.verdict;
  }
  if (row?.ratio == null) {
    return "–";
  }
  const { estimate, low, high } = row.ratio;
  if (saysNothing(row.ratio)) {
    return TOO_FEW_TRIALS;
  }
  const text = `${estimate.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  return { text, strong: isDifference(row.verdict) };
}

/** Writes a run's answer as a text to be shared. @param picture whether its folder has a picture. */
export function shareText({ run, summary }: SummarisedRun, picture = true): string {
  const headlines = summary.rows.filter(({ headline }) => headline);
  const isWarm = headlines.some(({ verdict }) => isJudged(verdict));
  const facts = [
    ...trialsWords(headlines),
    ...(isWarm ? ["warm code"] : []),
    ...(run.plan.targets.every(({ place }) => place === "local") ? ["no network"] : []),
  ];
  const titles = summary.notices.map((title) => title.replaceAll(";", ","));
  const notices = titles.length === 0 ? "" : ` Notices: ${titles.join("; ")}.`;
  const lines = [
    summary.answer ?? "Nothing was compared.",
    "",
    ...(picture ? [`Picture: ${CARD_FILE} in the run's folder`] : []),
    `${[placeOf(run), facts.join(", ")].filter(Boolean).join("; ")}.${notices}`,
    ...(whatRan(run) === "" ? [] : [`${whatRan(run)}.`]),
    "",
    shortCommand(run),
    `Evenbench ${run.evenbenchVersion}, run ${run.id}`,
  ];
  return lines.join("\n");
}
