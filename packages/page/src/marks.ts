import { type Comparison, isJudged, type RatioInterval, type Verdict } from "@evenbench/stats";
import { formatChange, TOO_FEW_TRIALS } from "./format.ts";
import { html, type Markup } from "./markup.ts";

/** The sign of each verdict, and the words that describe how it is drawn. */
export const MARKS: Readonly<Record<Verdict, { readonly sign: string; readonly says: string }>> = {
  faster: { sign: "◀", says: "takes less" },
  slower: { sign: "▶", says: "takes more" },
  same: { sign: "=", says: "within 5 %" },
  inconclusive: { sign: "↔", says: "the interval has room for no difference" },
  "not warm": { sign: "✕", says: "not judged" },
  "no result": { sign: "✕", says: "not measured" },
};

/** Gives the sign of a verdict with the verdict: "◀ faster". */
export function markWords(verdict: Verdict): string {
  return `${MARKS[verdict].sign} ${verdict}`;
}

interface Judged {
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict | null;
}

/** The sign of the verdict with its change in percent, as a text: "◀ −40 % (−49 to −29)"; without one, why there is none. */
export function markedChange({ ratio, verdict }: Judged = { ratio: null, verdict: null }): string {
  if (verdict === null) {
    return "–";
  }
  if (!isJudged(verdict)) {
    return markWords(verdict);
  }
  return `${MARKS[verdict].sign} ${changeWords({ ratio, verdict })}`;
}

/** The change in percent with its interval; without one, why there is none. */
export function changeWords({ ratio, verdict }: Judged): string {
  if (verdict !== null && !isJudged(verdict)) {
    return verdict;
  }
  return ratio === null ? TOO_FEW_TRIALS : formatChange(ratio);
}

const FILLED: Readonly<Partial<Record<Verdict, string>>> = {
  faster: "M-6 0L5-6V6Z",
  slower: "M6 0L-5-6V6Z",
  same: "M-7-6H7V-2.5H-7ZM-7 2.5H7V6H-7Z",
};

/**
 * @param at where a ratio stands from the left, as SVG takes it.
 * @param size at 1 a mark is 12 high.
 */
export function drawMark(
  { verdict, ratio }: Pick<Comparison, "verdict" | "ratio">,
  at: (ratio: number) => string,
  y: number,
  size = 1,
): Markup {
  const stroke = html`fill="none" stroke="currentColor" stroke-width="2.5"`;
  const placed = (x: string, path: string, look: Markup) =>
    html`<svg x="${x}" y="${y}" overflow="visible"><path d="${path}" transform="scale(${size})" ${look}/></svg>`;
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
