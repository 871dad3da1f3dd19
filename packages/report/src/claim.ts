import { changeWords, counted, listed, partOf } from "@evenbench/page";
import { type Comparison, isDifference, VERDICTS, type Verdict } from "@evenbench/stats";
import { haveDriftedApart } from "./audit.ts";
import { isCompared, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { adapterNotes, platformColumns, spokenBaselines } from "./names.ts";
import { caseWord } from "./notices.ts";
import { cpuAnswer, isOnCpuTime, type TargetFinding } from "./sentences.ts";
import { DRIFTED_APART_SIGN } from "./verdict-table.ts";

/** Largest number of words of a heading: a longer one is not read. */
export const MOST_CLAIM_WORDS = 20;

/** The finding that stands above a run's results. */
export interface Claim {
  /** A sentence of at most `MOST_CLAIM_WORDS` words, with its full stop. */
  readonly heading: string;
  /** Sentences on everything else: what was found of other platforms, and what was not proven. */
  readonly others: readonly string[];
}

/** A case of which something was compared. */
export interface ClaimedCase {
  /** Title of the case. */
  readonly title: string;
  /** The name of the target that others are compared with. */
  readonly baseline: string;
  readonly headline: { readonly comparisons: readonly ClaimedComparison[] } | null;
}

/** The comparison of a target, with that of its CPU time where that is known. */
type ClaimedComparison = Pick<Comparison, "target" | "verdict" | "ratio"> & {
  readonly cpu?: TargetFinding["cpu"] | undefined;
};

/** The platform that is told apart in most cases, with what was found of it. */
export interface PlatformFinding {
  /** The platform's name as sentences say it. */
  readonly spoken: string;
  /** Names of what it is compared with, as words. */
  readonly baseline: string;
  /** Comparisons of the platform, each with its case's title. */
  readonly found: readonly { readonly title: string; readonly comparison: ClaimedComparison }[];
}

/** Gives a run's finding for headings and titles of pages: who was faster than whom, and in how many cases. */
export function claimOf({ run, targets, cases, summary, method }: ReportData): Claim {
  const [first = "Nothing was measured.", ...rest] = summary.sentences;
  const compared = cases
    .filter(isCompared)
    .map(({ manifest, baseline, headline }) => ({ title: manifest.title, baseline, headline }));
  const finding = method === null ? mainFinding(targets, compared) : null;
  // That a run was stopped comes before what it found.
  if (finding === null || summary.stopped !== null) {
    return { heading: first, others: rest };
  }
  return {
    heading: headingOf(finding, caseWord(run.plan)),
    others: summary.sentences.filter((sentence) => !isSentenceOn(finding.spoken, sentence)),
  };
}

/**
 * Tells whether a sentence of a run says what was found of a target's time, which a claim says, too. Claims do not
 * speak of CPU time.
 *
 * @param spoken the target's name in sentences.
 */
export function isSentenceOn(spoken: string, sentence: string): boolean {
  const isOnTarget = [":", " "].some((next) => sentence.startsWith(`${spoken}${next}`));
  return isOnTarget && !isOnCpuTime(sentence);
}

/** Gives what was found of the platform that is told apart in most cases; null where nothing was compared. */
export function mainFinding(
  targets: readonly ReportTarget[],
  cases: readonly ClaimedCase[],
): PlatformFinding | null {
  const findings = platformColumns(targets, cases).map(({ spoken, comparisonIn }) => {
    const found = cases.flatMap((report) => {
      const comparison = comparisonIn(report);
      return comparison === null ? [] : [{ title: report.title, comparison }];
    });
    const told = found.filter(({ comparison }) => isDifference(comparison.verdict)).length;
    return { spoken, baseline: spokenBaselines(targets, cases), found, told };
  });
  const most = Math.max(...findings.map(({ told }) => told));
  return findings.find(({ told }) => told === most) ?? null;
}

/** Writes a finding as a heading: as much of it as `MOST_CLAIM_WORDS` words can say. */
export function headingOf(finding: PlatformFinding, word: "case" | "path"): string {
  const { spoken, baseline, found } = finding;
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    return aloneHeading(spoken, baseline, only);
  }
  const counts = Map.groupBy(found, ({ comparison }) => comparison.verdict);
  const sizeOf = (verdict: Verdict) => counts.get(verdict)?.length ?? 0;
  // What was told apart comes first, and of that what there is most of.
  const verdicts = VERDICTS.filter((verdict) => counts.has(verdict)).toSorted(
    (a, b) =>
      Number(isDifference(b)) - Number(isDifference(a)) || (isDifference(a) ? sizeOf(b) - sizeOf(a) : 0),
  );
  const [main = "no result", ...others] = verdicts;
  const parts = others.map((verdict) => {
    const titles = counts.get(verdict) ?? [];
    const place = titles.length === 1 ? `(${titles[0]?.title})` : "";
    return {
      long: `${verdict} in ${titles.length} ${place}`.trim(),
      short: `${verdict} in ${titles.length}`,
    };
  });
  const many = sizeOf(main);
  const begin = `${saidOf(spoken, main, baseline)} in ${partOf(many, found.length, word)}`;
  const sentences = [
    [begin, ...parts.map(({ long }) => long)],
    [begin, ...parts.map(({ long, short }, index) => (index === 0 ? long : short))],
    [begin, ...parts.map(({ short }) => short)],
    [begin, ...parts.slice(0, 1).map(({ short }) => short)],
  ].map((pieces) => `${pieces.join(", ")}.`);
  return sentences.find((sentence) => countWords(sentence) <= MOST_CLAIM_WORDS) ?? `${begin}.`;
}

/** Largest number of words of a card's claim: a longer one is not read at the size of a phone. */
const MOST_CARD_WORDS = 12;

/**
 * Gives the finding in at most `MOST_CARD_WORDS` words: in how many cases a platform was faster and in how many slower;
 * of one case alone, what was found in it.
 */
export function cardClaim({ spoken, baseline, found }: PlatformFinding, word: "case" | "path"): string {
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    return cutWords(`${saidOf(spoken, only.comparison.verdict, baseline)} in ${only.title}.`);
  }
  const sizeOf = (verdict: Verdict) =>
    found.filter(({ comparison }) => comparison.verdict === verdict).length;
  const verdict = sizeOf("slower") > sizeOf("faster") ? "slower" : "faster";
  const count = sizeOf(verdict);
  const of = counted(found.length, word);
  if (count === 0) {
    return cutWords(`${spoken} against ${baseline}: unclear in ${of}.`);
  }
  const opposite = verdict === "faster" ? "slower" : "faster";
  const against = sizeOf(opposite);
  if (against > 0) {
    return cutWords(
      `${spoken}: ${verdict} than ${baseline} in ${count} of ${found.length}, ${opposite} in ${against}.`,
    );
  }
  const long = `${spoken} was ${verdict} than ${baseline} in ${count} of ${of}.`;
  const short = `${spoken}: ${verdict} than ${baseline} in ${count} of ${found.length}.`;
  return countWords(long) <= MOST_CARD_WORDS ? long : cutWords(short);
}

/** Gives the first `MOST_CARD_WORDS` words of a sentence. */
export function cutWords(text: string): string {
  const words = text.split(" ");
  return words.length <= MOST_CARD_WORDS ? text : `${words.slice(0, MOST_CARD_WORDS).join(" ")}…`;
}

/** Writes the heading of a platform that was compared in one case alone. */
function aloneHeading(
  spoken: string,
  baseline: string,
  { title, comparison }: PlatformFinding["found"][number],
): string {
  const { verdict } = comparison;
  const begin = saidOf(spoken, verdict, baseline);
  const change = isDifference(verdict) ? `: ${changeWords(comparison)}` : "";
  const whole = `${begin} in ${title}${change}.`;
  return countWords(whole) <= MOST_CLAIM_WORDS ? whole : `${begin}${change}.`;
}

/** Writes a verdict as the beginning of a sentence. */
function saidOf(spoken: string, verdict: Verdict, baseline: string): string {
  if (isDifference(verdict)) {
    return `${spoken} was ${verdict} than ${baseline}`;
  }
  if (verdict === "same") {
    return `${spoken} took as long as ${baseline}`;
  }
  return `${spoken} against ${baseline}: ${verdict}`;
}

/** Counts the words of a text. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

/** A platform, with what its targets are compared with. */
interface ComparedPlatform {
  /** The platform's name as sentences say it. */
  readonly spoken: string;
  readonly baseline: string;
  /** The targets of the platform, each with the one that it is compared with. */
  readonly pairs: readonly Pick<Comparison, "target" | "baseline">[];
}

/**
 * Finds the runtime, such as "Node.js 24.21.0", that a platform shares with what it is compared with; null where they
 * differ.
 */
export function sharedRuntime(
  { identities }: Pick<ReportData["run"], "identities">,
  pairs: ComparedPlatform["pairs"],
): string | null {
  const runtimeOf = (name: string) => identities[name]?.facts.runtime ?? null;
  const runtimes = new Set(pairs.flatMap(({ target, baseline }) => [runtimeOf(target), runtimeOf(baseline)]));
  const [runtime = null] = runtimes;
  return runtimes.size === 1 ? runtime : null;
}

/**
 * Says why no difference is expected of platforms that run locally on the runtime of the baseline, and where one was
 * found all the same, what it may be; a sentence for each.
 */
export function sharedRuntimeNotes({ run, targets, cases }: ReportData): readonly string[] {
  const compared = cases.filter(isCompared);
  const baseline = spokenBaselines(targets, compared);
  const platforms = platformColumns(targets, compared).map(({ spoken, comparisonIn }) => ({
    spoken,
    pairs: compared.flatMap((report) => comparisonIn(report) ?? []),
    differing: compared.filter((report) => {
      const time = comparisonIn(report);
      if (time === null) {
        return false;
      }
      const cpu = cpuAnswer({ ...time, cpu: ofTarget(report.cpuTime?.comparisons, time.target) });
      return [time, cpu].some((comparison) => isDifference(comparison?.verdict ?? null));
    }),
  }));
  const hosted = new Set(targets.flatMap(({ spoken, platform }) => (platform === null ? [] : spoken)));
  return platforms.flatMap(({ spoken, pairs, differing }) => {
    const runtime = sharedRuntime(run, pairs);
    if (runtime === null || !hosted.has(spoken)) {
      return [];
    }
    const expected =
      differing.length === 0
        ? ", so only the adapter's work can differ."
        : `: a difference is the adapter's work, or chance.${driftedApartWords(differing)}`;
    return `Here ${spoken} runs on the same ${runtime} as ${baseline}${expected}`;
  });
}

/** Says for each platform in which cases its adapter differs as well as its runtime: see `adapterNotes`. */
export function adapterNotesOf({ run, cases }: Pick<ReportData, "run" | "cases">): readonly string[] {
  const pairs = cases.flatMap(({ manifest: { title }, headline }) =>
    (headline?.comparisons ?? []).map(({ target, baseline }) => ({ title, target, baseline })),
  );
  return adapterNotes(run, pairs);
}

/** Names those of some cases whose targets drifted apart, in a sentence behind another; empty where none did. */
function driftedApartWords(cases: readonly Pick<CaseReport, "manifest" | "audit">[]): string {
  const drifted = cases.filter(({ audit }) => haveDriftedApart(audit)).map(({ manifest }) => manifest.id);
  if (drifted.length === 0) {
    return "";
  }
  return ` In ${listed(drifted)} targets drifted apart while they were measured (${DRIFTED_APART_SIGN}), which may be all of it: measure that again before you believe it.`;
}
