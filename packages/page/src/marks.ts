import {
  type Comparison,
  EQUIVALENCE_WORDS,
  isJudged,
  type RatioInterval,
  SAME_WITHIN_WORDS,
  type Verdict,
} from "@evenbench/stats";
import { formatChange, NO_INTERVAL } from "./format.ts";
import { html, type Markup } from "./markup.ts";

/** The mark of a verdict. */
interface VerdictMark {
  /** The sign that stands before the verdict. */
  readonly sign: string;
  /** The mark in words, for the key below a drawing. */
  readonly says: string;
}

/** The meaning of the verdict "same", whose interval is another one than that beside it. */
const SAME_MEANING = `${SAME_WITHIN_WORDS} by the ${EQUIVALENCE_WORDS} (narrower than the one shown)`;

/** The mark of each verdict. */
export const MARKS: Readonly<Record<Verdict, VerdictMark>> = {
  faster: { sign: "◀", says: "takes less" },
  slower: { sign: "▶", says: "takes more" },
  same: { sign: "=", says: SAME_MEANING },
  unclear: { sign: "↔", says: "it may take less, more or the same" },
  withheld: { sign: "✕", says: "the baseline differed from its own copy" },
  "not warm": { sign: "✕", says: "not judged" },
  "no result": { sign: "✕", says: "not measured" },
};

/** Gives the sign of a verdict with the verdict: "◀ faster". */
export function markWords(verdict: Verdict): string {
  return `${MARKS[verdict].sign} ${verdict}`;
}

/** A verdict with the ratio that it was read off; null where there is none. */
interface MarkedRatio {
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict | null;
}

/**
 * Explains "same" below numbers with their 99 % intervals, which may reach further than sameness does: "Same: within 5 %
 * by the 90 % interval (narrower than the one shown)."; empty where no verdict is "same".
 */
export function sameNote(verdicts: Iterable<Verdict | null>): string {
  return [...verdicts].includes("same") ? `Same: ${SAME_MEANING}.` : "";
}

/**
 * Writes the sign of a verdict with the change in percent: "◀ −40 % (−49 to −29)"; without a change, why there is
 * none. "Same" is written out: a sign alone, "= −1 %", would be read as "is −1 %".
 */
export function markedChange({ ratio, verdict }: MarkedRatio = { ratio: null, verdict: null }): string {
  if (verdict === null) {
    return "–";
  }
  if (!isJudged(verdict)) {
    return markWords(verdict);
  }
  const mark = verdict === "same" ? `${markWords(verdict)},` : MARKS[verdict].sign;
  return `${mark} ${changeWords({ ratio, verdict })}`;
}

/** Writes the change in percent with its interval; without one, why there is none. */
export function changeWords({ ratio, verdict }: MarkedRatio): string {
  if (verdict !== null && !isJudged(verdict)) {
    return verdict;
  }
  return ratio === null ? NO_INTERVAL : formatChange(ratio);
}

/** Paths of the marks that are filled shapes, around the point of the estimate. */
const FILLED: Readonly<Partial<Record<Verdict, string>>> = {
  faster: "M-6 0L5-6V6Z",
  slower: "M6 0L-5-6V6Z",
  same: "M-7-6H7V-2.5H-7ZM-7 2.5H7V6H-7Z",
};

/**
 * Draws the mark of a comparison as SVG: its interval as a line, with the verdict's shape.
 *
 * @param at gives where a ratio stands from the left, as SVG takes it.
 * @param y middle of the mark from the top, in pixels.
 * @param size at 1 a mark is 12 pixels high.
 */
export function drawMark(
  { verdict, ratio }: Pick<Comparison, "verdict" | "ratio">,
  at: (ratio: number) => string,
  y: number,
  size = 1,
): Markup {
  const stroke = html`fill="none" stroke="currentColor" stroke-width="2.5"`;
  const placed = (x: string, path: string, style: Markup) =>
    html`<svg x="${x}" y="${y}" overflow="visible"><path d="${path}" transform="scale(${size})" ${style}/></svg>`;
  if (!isJudged(verdict)) {
    return placed(at(1), "M-5-5L5 5M-5 5L5-5", stroke);
  }
  if (ratio === null) {
    return html``;
  }
  const low = at(ratio.low);
  const high = at(ratio.high);
  const bar = html`<line x1="${low}" x2="${high}" y1="${y}" y2="${y}" stroke="currentColor" stroke-width="${(verdict === "same" ? 1.5 : 2.5) * size}"/>`;
  const shape = FILLED[verdict];
  if (shape !== undefined) {
    return html`${bar}${placed(at(ratio.estimate), shape, html`fill="currentColor"`)}`;
  }
  return html`${bar}${placed(low, "M5-5L0 0L5 5", stroke)}${placed(high, "M-5-5L0 0L-5 5", stroke)}`;
}
