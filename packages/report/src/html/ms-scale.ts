/** A linear scale of milliseconds around 0, as percentages of a drawing's width. */
export interface MsScale {
  /** Where a time stands, in per cent from the left. */
  position(ms: number): number;
  readonly ticks: readonly number[];
}

/** Ticks that have room, 0 among them. */
const MOST_TICKS = 5;

/** A scale that holds 0 and all of these, with a margin. */
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

/** The next of 1, 2 and 5 times a power of ten. */
function niceStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * ([1, 2, 5, 10].find((factor) => factor * decade >= least) ?? 10);
}
