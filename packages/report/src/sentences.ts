// What is found of targets as sentences: the one place where they are made, for every output.
import {
  amountWords,
  boundWords,
  counted,
  formatDifference,
  formatMs,
  NO_INTERVAL,
  partOf,
  saysNothing,
  TOO_WIDE,
} from "@evenbench/page";
import {
  boundOf,
  type Comparison,
  isDecided,
  isDifference,
  isJudged,
  percent,
  type RatioInterval,
  SAME_WITHIN_WORDS,
  VERDICTS,
  type Verdict,
} from "@evenbench/stats";

/** A verdict with the ratio that it was read off. */
type JudgedComparison = Pick<Comparison, "verdict" | "ratio">;

/** The finding in one case, without the names of who is compared. */
interface CaseFinding extends JudgedComparison {
  /** Comparison of the target's CPU time; null where the system does not account for it. */
  readonly cpu: JudgedComparison | null;
  /**
   * The difference of times in milliseconds, with its interval, in the place of a ratio. Where one place measured,
   * it is absent; null where several vantages did, and disagree.
   */
  readonly differenceMs?: RatioInterval | null;
}

/** The comparison of one target in one case. */
export interface TargetFinding extends CaseFinding {
  readonly target: string;
  /** Name of the target that it is compared with. */
  readonly baseline: string;
  /** Title of the case, by which few cases are named; absent where they are only counted. */
  readonly title?: string;
}

/** The names and words that sentences are made with. */
export interface Naming {
  /** Gives a target's name as sentences say it. */
  nameOf(target: string): string;
  /** The word for what is measured: own servers have paths, all others cases. */
  readonly word: "case" | "path";
}

/**
 * Says what is found of each target, in a sentence; where CPU time decides what time does not, in a second one that
 * counts all cases by their CPU time:
 *
 * - "Cloudflare's workerd: faster than Node.js in 6 of 7 cases (21 to 52 % less time), unclear in 1 (between 3 %
 *   less and 8 % more)."
 * - "Vercel's adapter: unclear against Node.js in all 6 cases (at most 7 % apart in the
 *   clearest, 28 % in the least clear)."
 * - "Vercel's adapter: CPU time is 12 % more in 1 of 6 cases (Next.js page), the same in 3, unclear in
 *   2. Of the 4 unclear by time, it is the same in 2."
 */
export function sentencesOf(
  found: readonly TargetFinding[],
  nameOf: (target: string) => string,
  word: "case" | "path" = "case",
): readonly string[] {
  return [...groupsOf(found, nameOf).values()].flatMap((group) => sentencesOfTarget(group, { nameOf, word }));
}

/** Says what changed between two states of the same targets, in sentences. */
export function changesOf(
  rows: readonly Pick<TargetFinding, "target" | "verdict" | "ratio" | "cpu">[],
): readonly string[] {
  const found = rows.map((row) => ({ ...row, baseline: "before" }));
  return sentencesOf(found, (name) => name);
}

/** Gives what CPU time says where time is not decided; null where time is decided, or CPU time is not. */
export function cpuAnswer({ verdict, cpu }: Pick<CaseFinding, "verdict" | "cpu">): JudgedComparison | null {
  if (verdict !== "unclear" || cpu === null || cpu.ratio === null) {
    return null;
  }
  return isDecided(cpu.verdict) ? cpu : null;
}

/**
 * Writes a comparison in one case without names: "slower, 12 % more, 9 to 16 %"; CPU time stands beside what
 * time leaves open.
 */
export function findingWords(found: CaseFinding): string {
  const { verdict, ratio } = found;
  if (!isJudged(verdict)) {
    return verdict;
  }
  const cpu = cpuAnswer(found);
  if (cpu?.ratio != null) {
    return `time: ${openWords(found)}; CPU time: ${cpuWords(cpu.verdict, cpu.ratio)}`;
  }
  if (found.differenceMs != null) {
    return `${verdict}, ${formatDifference(found.differenceMs)}`;
  }
  if (verdict === "unclear") {
    return openWords(found);
  }
  return ratio === null ? verdict : `${verdict}, ${amountWords(ratio)}`;
}

/** Writes what time leaves open: "unclear, −12 to +23 %". */
function openWords({ ratio, differenceMs }: Pick<CaseFinding, "ratio" | "differenceMs">): string {
  if (differenceMs != null) {
    return `unclear, ${formatDifference(differenceMs)}`;
  }
  if (ratio === null) {
    return `unclear, ${NO_INTERVAL}`;
  }
  return `unclear, ${saysNothing(ratio) ? TOO_WIDE : boundWords(ratio)}`;
}

/** Writes what CPU time says: "12 % more, 9 to 16 %", or "the same, −2 to +1 %". */
function cpuWords(verdict: Verdict, ratio: RatioInterval): string {
  return verdict === "same" ? `the same, ${boundWords(ratio)}` : amountWords(ratio);
}

/** Writes what was found of one target: a sentence on time, and one on CPU time where that decides more. */
function sentencesOfTarget(group: readonly TargetFinding[], { nameOf, word }: Naming): readonly string[] {
  const [first] = group as [TargetFinding];
  const name = nameOf(first.target);
  const baseline = nameOf(first.baseline);
  if (group.length === 1) {
    return [`${name} ${aloneWords(first, baseline)}.`];
  }
  const used = VERDICTS.filter((verdict) => group.some((found) => found.verdict === verdict));
  const parts = used.flatMap((verdict, index) => {
    const agreeing = group.filter((found) => found.verdict === verdict);
    const many: ManyWords = { word, of: group.length, baseline, isFirst: index === 0 };
    return verdict === "unclear" ? openParts(agreeing, many) : [decidedPart(verdict, agreeing, many)];
  });
  const isAnswered = group.some((each) => cpuAnswer(each) !== null);
  const ofCpu = isAnswered ? cpuSentence(name, group, word) : null;
  return [`${name}: ${parts.join(", ")}.`, ...(ofCpu === null ? [] : [ofCpu])];
}

/** The words and numbers that a part of a sentence about many cases is made with. */
interface ManyWords {
  readonly word: "case" | "path";
  /** Number of all cases. */
  readonly of: number;
  readonly baseline: string;
  /**
   * True where the part is the sentence's first one, which names the baseline and the number of all cases.
   */
  readonly isFirst: boolean;
}

/**
 * Writes what was found alike: "faster than Node.js in 3 of 7 cases (23 to 58 % less time)"; behind another part
 * "faster in 3 (23 to 58 % less)".
 */
function decidedPart(
  verdict: Verdict,
  agreeing: readonly TargetFinding[],
  { word, of, baseline, isFirst }: ManyWords,
): string {
  const size = isDifference(verdict) ? sizeOf(verdict, agreeing) : null;
  if (!isFirst) {
    return `${verdict} in ${agreeing.length}${size === null ? "" : ` (${size})`}`;
  }
  const where = `in ${partOf(agreeing.length, of, word)}`;
  if (verdict === "same") {
    return `the same as ${baseline} ${where}`;
  }
  if (!isDifference(verdict)) {
    return `${verdict} ${where}`;
  }
  return `${verdict} than ${baseline} ${where}${size === null ? "" : ` (${size} time)`}`;
}

/**
 * Writes what is unclear with the differences that are not ruled out: "unclear in 1 (between 7 % less and 9 %
 * more)", "unclear in 6 (at most 7 % less or more in the clearest, 28 % in the least clear)"; what has no bound is
 * counted apart, by the reason: "unclear in 1 (the interval is too wide to say anything)".
 */
function openParts(
  open: readonly TargetFinding[],
  { word, of, baseline, isFirst }: ManyWords,
): readonly string[] {
  const bounded = open.filter(hasBound);
  const unbounded = open.filter((found) => !hasBound(found));
  const parts: { readonly count: number; readonly says: string }[] = [];
  if (bounded.length > 0) {
    parts.push({ count: bounded.length, says: limitWords(bounded) });
  }
  for (const [why, group] of Map.groupBy(unbounded, whyNoBound)) {
    parts.push({ count: group.length, says: why });
  }
  return parts.map(({ count, says }, index) => {
    const where =
      isFirst && index === 0 ? `against ${baseline} in ${partOf(count, of, word)}` : `in ${count}`;
    return `unclear ${where} (${says})`;
  });
}

/** Says why a comparison has no bound. */
function whyNoBound({ ratio, differenceMs }: CaseFinding): string {
  if (differenceMs !== undefined) {
    return "no interval over all vantages";
  }
  if (ratio !== null) {
    return "the interval is too wide to say anything";
  }
  return "no interval: too few trials count, or they differ too much";
}

/** Tells whether an interval bounds the difference. Vantages that disagree (null) have none. */
function hasBound({ ratio, differenceMs }: CaseFinding): boolean {
  return differenceMs === undefined ? ratio !== null && !saysNothing(ratio) : differenceMs !== null;
}

/**
 * Writes the changes that intervals allow: of one "between 7 % less and 9 % more"; of several the largest change, whatever
 * its sign and rounded as tables round it: "at most 28 % less or more", or the smallest and the largest of them: "at most
 * 7 % less or more in the clearest, 28 % in the least clear".
 */
function limitWords(bounded: readonly CaseFinding[]): string {
  const [only] = bounded;
  if (bounded.length === 1 && only?.differenceMs === undefined && only?.ratio != null) {
    return boundOf(only.ratio);
  }
  const limits: number[] = [];
  const limitsMs: number[] = [];
  for (const { ratio, differenceMs } of bounded) {
    if (differenceMs != null) {
      limitsMs.push(Math.max(Math.abs(differenceMs.low), Math.abs(differenceMs.high)));
    } else if (ratio !== null) {
      limits.push(Math.max(1 - ratio.low, ratio.high - 1));
    }
  }
  const show = limitsMs.length > 0 ? formatMs : percent;
  const all = limitsMs.length > 0 ? limitsMs : limits;
  const smallest = show(Math.min(...all));
  const largest = show(Math.max(...all));
  const other = smallest === largest ? "" : ` in the clearest, ${largest} in the least clear`;
  return `at most ${smallest} less or more${other}`;
}

/** The words between the name of a target and what its CPU time says. */
const CPU_TIME_IS = ": CPU time is ";

/** Tells whether a sentence says what CPU time says of a target. */
export function isOnCpuTime(sentence: string): boolean {
  return sentence.includes(CPU_TIME_IS);
}

/**
 * Says what is found of each target's CPU time, in a sentence: "Vercel's adapter: CPU time is 12 % more in 1
 * of 7 cases (Next.js page), the same in 5, unclear in 1 (SvelteKit page). In the case where time is unclear,
 * it is the same." Of targets with one case, and of those without CPU time, it says nothing.
 */
export function cpuSentencesOf(
  found: readonly TargetFinding[],
  nameOf: (target: string) => string,
  word: "case" | "path" = "case",
): readonly string[] {
  return [...groupsOf(found, nameOf).values()].flatMap((group) => {
    const [first] = group as [TargetFinding];
    return group.length === 1 ? [] : (cpuSentence(nameOf(first.target), group, word) ?? []);
  });
}

/** Puts the sentences on all targets' CPU time behind a run's other sentences. */
export function withCpuSentences(
  sentences: readonly string[],
  found: readonly TargetFinding[],
  { nameOf, word }: Naming,
): readonly string[] {
  const others = sentences.filter((sentence) => !isOnCpuTime(sentence));
  return [...others, ...cpuSentencesOf(found, nameOf, word)];
}

/** Groups comparisons by the names of who is compared. */
function groupsOf(
  found: readonly TargetFinding[],
  nameOf: (target: string) => string,
): ReadonlyMap<string, readonly TargetFinding[]> {
  return Map.groupBy(found, ({ target, baseline }) => JSON.stringify([nameOf(target), nameOf(baseline)]));
}

/** Writes what CPU time says in all cases, and where time is unclear; null where no case has CPU time. */
function cpuSentence(name: string, group: readonly TargetFinding[], word: "case" | "path"): string | null {
  const all = group.flatMap(({ cpu, title }) => {
    return cpu === null ? [] : [{ ...cpu, ...(title !== undefined && { title }) }];
  });
  if (all.length === 0) {
    return null;
  }
  const [first, ...others] = cpuParts(all) as [CpuPart, ...CpuPart[]];
  const begin = `${first.says} in ${partOf(first.count, all.length, word)}${namedCases(first)}`;
  const parts = [begin, ...others.map((part) => `${part.says} in ${part.count}${namedCases(part)}`)];
  return `${name}${CPU_TIME_IS}${parts.join(", ")}${whereOpen(group, word)}.`;
}

/** Writes what CPU time says where time is unclear, behind what it says of all; empty where it decides nothing. */
function whereOpen(group: readonly TargetFinding[], word: "case" | "path"): string {
  const open = group.filter(({ verdict }) => verdict === "unclear");
  const parts = cpuParts(open.map(cpuAnswer).filter((answer) => answer !== null));
  if (parts.length === 0) {
    return "";
  }
  const [first] = parts;
  if (parts.length === 1 && first?.count === open.length) {
    const where = open.length === 1 ? word : counted(open.length, word);
    return `. In the ${where} where time is unclear, it is ${first.says}`;
  }
  const words = parts.map(({ says, count }) => `${says} in ${count}`);
  return `. Of the ${open.length} unclear by time, it is ${words.join(", ")}`;
}

/** Verdicts on CPU time that are alike. */
interface CpuPart {
  /** The words for them: "3 to 4 % more", "the same", "unclear". */
  readonly says: string;
  /** How many there are. */
  readonly count: number;
  /** Titles of the cases, but of those in which CPU time is the same; empty where they are not known. */
  readonly titles: readonly string[];
}

/** Largest number of cases that a sentence names: more are counted. */
const MOST_NAMED = 2;

/** Names the cases behind their count, where they are few: " (Next.js page)"; empty where they are not. */
function namedCases({ titles }: CpuPart): string {
  // A title may have commas.
  return titles.length === 0 || titles.length > MOST_NAMED ? "" : ` (${titles.join("; ")})`;
}

/** A comparison of CPU time, with the title of its case where that is known. */
type TitledComparison = JudgedComparison & Pick<TargetFinding, "title">;

/** Groups comparisons of CPU time by their verdict. */
function cpuParts(comparisons: readonly TitledComparison[]): readonly CpuPart[] {
  const used = VERDICTS.filter((verdict) => comparisons.some((each) => each.verdict === verdict));
  return used.map((verdict) => {
    const agreeing = comparisons.filter((each) => each.verdict === verdict);
    const size = isDifference(verdict) ? sizeOf(verdict, agreeing) : null;
    const titles = verdict === "same" ? [] : agreeing.flatMap(({ title }) => title ?? []);
    return { says: size ?? (verdict === "same" ? "the same" : verdict), count: agreeing.length, titles };
  });
}

/** Writes what was found of a target in its only case, behind its name. */
function aloneWords(found: TargetFinding, baseline: string): string {
  const { verdict, ratio, differenceMs } = found;
  const size = sizeOf(verdict, [found]);
  if (verdict === "same") {
    const isKnown = ratio !== null || differenceMs != null;
    return `takes as long as ${baseline}${isKnown ? `, ${SAME_WITHIN_WORDS}` : ""}`;
  }
  if (isDifference(verdict) && size !== null) {
    return `takes ${size} time than ${baseline}`;
  }
  return `against ${baseline}: ${findingWords(found)}`;
}

/** Writes the size of differences by their estimates: "23 to 58 % less"; null where there is none. */
function sizeOf(
  verdict: Verdict,
  comparisons: readonly Pick<CaseFinding, "ratio" | "differenceMs">[],
): string | null {
  const amounts: number[] = [];
  const amountsMs: number[] = [];
  for (const { ratio, differenceMs } of comparisons) {
    if (differenceMs != null) {
      amountsMs.push(Math.abs(differenceMs.estimate));
    } else if (ratio !== null) {
      amounts.push(Math.abs(ratio.estimate - 1));
    }
  }
  const side = verdict === "faster" ? "less" : "more";
  if (amountsMs.length > 0) {
    return `${spanWords(amountsMs, formatMs)} ${side}`;
  }
  return amounts.length === 0 ? null : `${spanWords(amounts, percent)} ${side}`;
}

/**
 * Writes the smallest and the largest value as "7 to 28 %", or one of them where both are shown alike.
 *
 * @param show writes a value with its unit behind a blank: "28 %".
 */
function spanWords(values: readonly number[], show: (value: number) => string): string {
  const smallest = show(Math.min(...values));
  const largest = show(Math.max(...values));
  return smallest === largest ? largest : `${smallest.replace(/ \S+$/, "")} to ${largest}`;
}
