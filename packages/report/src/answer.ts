import { formatDuration } from "@evenbench/core";
import { counted, formatDifference, formatMs, listed, percentRange } from "@evenbench/page";
import {
  type Comparison,
  isDifference,
  isJudged,
  type RatioInterval,
  sum,
  VERDICTS,
  type Verdict,
} from "@evenbench/stats";
import { differenceOf } from "./case-report.ts";
import type { CaseReport, ReportData, ReportTarget, Summary } from "./data.ts";
import { spokenOf } from "./names.ts";
import { caseWord, isBroken } from "./notices.ts";

interface Found extends Pick<Comparison, "target" | "baseline" | "verdict" | "ratio"> {
  /** Difference in place of a ratio, where several places measured. */
  readonly differenceMs?: RatioInterval | null;
}

function foundIn(report: CaseReport): readonly Found[] {
  return (report.headline?.comparisons ?? []).map((comparison) => {
    return { ...comparison, differenceMs: differenceOf(report, comparison.target)?.pooled ?? null };
  });
}

function extentOf({ ratio, differenceMs }: Found): string | null {
  return differenceMs == null ? ratio && percentRange(ratio) : formatDifference(differenceMs);
}

/** "Cloudflare's workerd: faster than Node.js in 3 of 7 cases (23 to 58 % less time), 1 same, 3 inconclusive." */
export function sentencesOf(
  found: readonly Found[],
  nameOf: (target: string) => string,
  word: "case" | "path" = "case",
): readonly string[] {
  const groups = Map.groupBy(found, ({ target, baseline }) =>
    JSON.stringify([nameOf(target), nameOf(baseline)]),
  );
  return [...groups.values()].map((group) => sentenceOf(group, nameOf, word));
}

/** Writes what changed between two states of targets, a sentence for each target. */
export function changesOf(rows: readonly Pick<Found, "target" | "verdict" | "ratio">[]): readonly string[] {
  return sentencesOf(
    rows.map((row) => ({ ...row, baseline: "before" })),
    (name) => name,
  );
}

function answersOf(targets: readonly ReportTarget[], cases: readonly CaseReport[]): readonly string[] {
  const order = targets.map(({ name }) => name);
  const found = cases.flatMap(foundIn).sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  return sentencesOf(found, (target) => spokenOf(targets, target), caseWord({ targets }));
}

function sentenceOf(group: readonly Found[], nameOf: (target: string) => string, word: string): string {
  const [first] = group as [Found];
  const name = nameOf(first.target);
  const baseline = nameOf(first.baseline);
  if (group.length === 1) {
    return `${name} ${aloneOf(first, baseline)}.`;
  }
  const used = VERDICTS.filter((verdict) => group.some((found) => found.verdict === verdict));
  const parts = used.map((verdict, index) => {
    const agreeing = group.filter((found) => found.verdict === verdict);
    const size = isDifference(verdict) ? sizeOf(verdict, agreeing) : null;
    if (index > 0) {
      return `${agreeing.length} ${verdict}${size === null ? "" : ` (${size})`}`;
    }
    const than = isDifference(verdict) ? `${verdict} than ${baseline}` : verdict;
    const how = verdict === "same" ? `the same as ${baseline}` : than;
    return `${how} in ${agreeing.length} of ${group.length} ${word}s${size === null ? "" : ` (${size} time)`}`;
  });
  return `${name}: ${parts.join(", ")}.`;
}

function aloneOf(found: Found, baseline: string): string {
  const { verdict } = found;
  const extent = extentOf(found);
  const size = sizeOf(verdict, [found]);
  if (verdict === "same") {
    return `takes as long as ${baseline}${extent === null ? "" : ", within 5 %"}`;
  }
  if (!isJudged(verdict)) {
    return `against ${baseline}: ${verdict}`;
  }
  if (verdict === "inconclusive" || size === null) {
    return `against ${baseline}: ${verdict}${extent === null ? "" : `, ${extent}`}`;
  }
  return `takes ${size} time than ${baseline}`;
}

/** "23 to 58 % less". */
function sizeOf(verdict: Verdict, comparisons: readonly Found[]): string | null {
  const amounts = comparisons.flatMap(({ ratio, differenceMs }) => {
    if (differenceMs != null) {
      return Math.abs(differenceMs.estimate);
    }
    return ratio === null ? [] : Math.abs(100 * (ratio.estimate - 1));
  });
  if (amounts.length === 0) {
    return null;
  }
  const isMs = comparisons.some(({ differenceMs }) => differenceMs != null);
  const shown = (amount: number) => (isMs ? formatMs(amount).replace(" ms", "") : amount.toFixed(0));
  const ends = [...new Set([Math.min(...amounts), Math.max(...amounts)].map(shown))];
  return `${ends.join(" to ")} ${isMs ? "ms" : "%"} ${verdict === "faster" ? "less" : "more"}`;
}

const SMOKE_TEST = "A smoke test (--quick): hardly anything was warmed up, so nothing was compared.";

/**
 * Writes the answer of a run.
 *
 * @param unproven a sentence on cases whose work was not proven equal; null where there are none.
 * @param isSmokeTest whether the run compared nothing, as with `--quick`.
 */
export function summarise(
  targets: readonly ReportTarget[],
  cases: readonly CaseReport[],
  unproven: string | null,
  isSmokeTest = false,
): Summary {
  const measured = cases.filter(({ headline }) => headline !== null);
  const found = answersOf(targets, measured);
  const smoke = isSmokeTest && measured.length > 0 ? [SMOKE_TEST] : [];
  const fromCaches = measured.filter(({ manifest }) => manifest.cached !== undefined);
  const computed = measured.filter(({ manifest }) => manifest.cached === undefined);
  const caches = fromCaches.length === 0 ? [] : [sayCaches(fromCaches)];
  const alone = [...Map.groupBy(computed, ({ baseline }) => baseline)].map(
    ([baseline, group]) => `${baseline} ran ${counted(group.length, "case")} alone.`,
  );
  const statements =
    [found, smoke, alone, caches, ["Nothing was measured."]].find((sentences) => sentences.length > 0) ?? [];
  const cachesBeside = statements === caches ? [] : caches;
  const sentences = [...statements, ...cachesBeside, ...(unproven === null ? [] : [unproven])];
  return {
    answer: found.length === 0 ? null : sentences.join(" "),
    sentences,
    unproven,
    control: isSmokeTest
      ? "A smoke test compares nothing, so it has no A/A control."
      : describeControl(measured),
  };
}

function sayCaches(cases: readonly CaseReport[]): string {
  const ids = cases.map(({ manifest }) => manifest.id);
  return `A cache is measured in ${listed(ids)}: that gives no verdict on the platforms.`;
}

function describeControl(cases: readonly CaseReport[]): string {
  if (cases.length > 0 && cases.every(({ manifest }) => manifest.cached !== undefined)) {
    return "Caches are not compared, so this run has no A/A control.";
  }
  if (cases.every(({ headline }) => headline?.control == null)) {
    return "This run has no A/A control: no target was measured against its own copy.";
  }
  const controlled = cases.flatMap((report) => {
    const isBroken = isControlBroken(report);
    return isBroken === null ? [] : [{ id: report.manifest.id, isBroken }];
  });
  if (controlled.length === 0) {
    return "A/A control: no case has enough trials for it.";
  }
  const broken = controlled.flatMap(({ id, isBroken }) => (isBroken ? id : []));
  const found = broken.length === 0 ? "none" : `${broken.length} (${listed(broken)})`;
  return `A/A control: the time of the baseline differed from that of its copy in ${found} of ${counted(controlled.length, "case")}.`;
}

/** null where there is none, or too little of it. */
function isControlBroken({ headline, differences }: CaseReport): boolean | null {
  const difference = differences?.control?.mean ?? null;
  if (difference !== null) {
    return difference.low > 0 || difference.high < 0;
  }
  return headline?.control?.ratio == null ? null : isBroken(headline);
}

/** Writes the answer of each case; the run's own sentences where nothing was compared. */
export function caseAnswers({ cases, summary }: ReportData): readonly string[] {
  return summary.answer === null ? summary.sentences : cases.map(caseAnswer);
}

function caseAnswer(report: CaseReport): string {
  const { manifest, headline, baseline, isUnproven } = report;
  if (headline === null) {
    return `${manifest.id}: nothing was measured`;
  }
  const parts = foundIn(report).map((found) => {
    const extent = isJudged(found.verdict) ? extentOf(found) : null;
    return `${found.target} ${found.verdict}${extent === null ? "" : `, ${extent}`}`;
  });
  if (parts.length === 0) {
    return `${manifest.id}: ${baseline} alone, nothing to compare`;
  }
  const unproven = isUnproven ? " (the work was not proven equal)" : "";
  return `${manifest.id}: against ${baseline}, ${parts.join("; ")}${unproven}`;
}

/**
 * Writes how long a run took, and for what; null while it runs, for several vantages, and where its clock was
 * set back.
 */
export function timeLine({ run, cases }: Pick<ReportData, "run" | "cases">): string | null {
  const { startedAt, finishedAt, vantages } = run;
  if (finishedAt === null || vantages !== undefined) {
    return null;
  }
  const tookMs = Date.parse(finishedAt) - Date.parse(startedAt);
  // Its clock was set back, and a notice says so.
  if (tookMs < 0) {
    return null;
  }
  const total = formatDuration(tookMs);
  const measuring = formatDuration(sum(cases.map(({ spent }) => spent.measuringMs)));
  const warmUp = formatDuration(sum(cases.map(({ spent }) => spent.warmUpMs)));
  return `It took ${total}: ${measuring} measuring, ${warmUp} warming up, the rest starts and checks.`;
}
