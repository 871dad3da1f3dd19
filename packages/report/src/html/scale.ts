import type { Comparison } from "@evenbench/stats";
import type { CaseReport } from "../data.ts";
import { formatRatio, tickWords } from "../format.ts";
import { drawMark } from "../marks.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";

export interface RatioScale {
  position(ratio: number): number;
  readonly ticks: readonly number[];
  readonly sparse: readonly number[];
}

const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100,
];
const TICK_DISTANCE = 15;
/** The scale shows at least this much on both sides of 1: noise must not look like a difference. */
const LEAST_SPAN = 1.08;

export function ratioScale({ headline, cpuTime, other }: CaseReport): RatioScale {
  return scaleOf(
    [headline, cpuTime, other].flatMap((analysis) =>
      analysis === null
        ? []
        : [...endsOf([...analysis.comparisons, ...(analysis.control ? [analysis.control] : [])])],
    ),
  );
}

export function timeScale(cases: readonly CaseReport[]): RatioScale {
  const drawn = cases.flatMap(({ headline }) => headline?.comparisons ?? []);
  return scaleOf(endsOf(drawn.filter(({ verdict }) => verdict !== "not warm")));
}

function endsOf(comparisons: readonly Comparison[]): readonly number[] {
  return comparisons.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.low, ratio.high]));
}

export function scaleOf(ratios: readonly number[]): RatioScale {
  const low = Math.log(Math.min(1 / LEAST_SPAN, ...ratios.filter((ratio) => ratio > 0)));
  const high = Math.log(Math.max(LEAST_SPAN, ...ratios));
  const margin = (high - low) * 0.06;
  const position = (ratio: number) => {
    const share = (Math.log(ratio) - low + margin) / (high - low + 2 * margin);
    return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 100;
  };
  const inside = TICKS.filter((tick) => tick > Math.exp(low - margin) && tick < Math.exp(high + margin));
  const ticks = chooseTicks(position, inside, TICK_DISTANCE);
  return { position, ticks, sparse: chooseTicks(position, ticks, 3 * TICK_DISTANCE) };
}

/** Those of the fixed ticks that have room; 1 comes first, then outwards. */
function chooseTicks(
  position: (ratio: number) => number,
  inside: readonly number[],
  distance: number,
): readonly number[] {
  const outwards = inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const chosen: number[] = [];
  for (const tick of outwards) {
    const at = position(tick);
    const free = chosen.every((other) => Math.abs(position(other) - at) >= distance);
    if (free && at > 4 && at < 96) chosen.push(tick);
  }
  return chosen.sort((a, b) => a - b);
}

export function intervalBar(
  comparison: Pick<Comparison, "verdict" | "ratio">,
  { scale, colour, isControl, label }: IntervalLook,
): Markup {
  const { ratio } = comparison;
  const at = (one: number) => `${scale.position(one)}%`;
  const text = ratio === null ? "no interval." : `${formatRatio(ratio)}, 99 % interval.`;
  const ring = () =>
    ratio === null
      ? null
      : html`<line x1="${at(ratio.low)}" x2="${at(ratio.high)}" y1="14" y2="14" class="reach"/><circle cx="${at(ratio.estimate)}" cy="14" r="4.5" class="hollow"/>`;
  return html`<svg class="interval ${seriesClass(colour)}" role="img" height="28"><title>${label}: ${text}</title><g class="grid">${scale.ticks.map(
    (tick) => html`<line x1="${at(tick)}" x2="${at(tick)}" y2="28"/>`,
  )}</g><line class="one" x1="${at(1)}" x2="${at(1)}" y2="28"/><g>${isControl ? ring() : drawMark(comparison, at, 14, 0.9)}</g></svg>`;
}

interface IntervalLook {
  readonly scale: RatioScale;
  readonly colour: number;
  readonly isControl: boolean;
  readonly label: string;
}

export function scaleAxis(scale: RatioScale): Markup {
  return html`<svg class="axis" aria-hidden="true" height="18">${scale.ticks.map(
    (tick) =>
      html`<text${scale.sparse.includes(tick) ? null : html` class="minor"`} x="${scale.position(tick)}%" y="13" text-anchor="middle">${tickWords(tick)}</text>`,
  )}</svg>`;
}

export interface MsScale {
  position(ms: number): number;
  readonly ticks: readonly number[];
}

const MOST_TICKS = 5;

export function msScale(values: readonly number[]): MsScale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  const margin = span * 0.06;
  const position = (ms: number) => Math.round(((ms - low + margin) / (span + 2 * margin)) * 1e4) / 100;
  const step = niceStep(span / MOST_TICKS);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(6)),
  );
  return { position, ticks };
}

function niceStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * ([1, 2, 5, 10].find((factor) => factor * decade >= least) ?? 10);
}
