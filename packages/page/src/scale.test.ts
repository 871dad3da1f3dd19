import { expect, test } from "vitest";
import { msScale, ratioScale, type Scale, scaleAxis, ticksWithWords } from "./scale.ts";

/** Widths of an axis and sizes of its letters, in pixels, with the classes of numbers that are shown there. */
const AXES = [
  { what: "panels side by side", width: 160, letters: 13, hasMinor: true },
  { what: "a table", width: 174, letters: 13, hasMinor: false },
  { what: "a phone", width: 132, letters: 11, hasMinor: false },
] as const;

/** Intervals of ratios, from what repeats well to what does not. */
const INTERVALS = [
  [0.99, 1.01],
  [0.72, 1.09],
  [0.38, 1.27],
  [0.52, 1.52],
  [0.43, 1.52],
  [0.3, 1.95],
  [0.5, 4],
  [0.02, 60],
].map(([low = 1, high = 1]) => ({ low, high }));

/** A number of an axis. */
interface AxisNumber {
  readonly isMinor: boolean;
  /** Its middle, in percent of the width. */
  readonly at: number;
  readonly words: string;
}

function numbersOf({ text }: { readonly text: string }): readonly AxisNumber[] {
  return [...text.matchAll(/<text( class="minor")? x="([\d.]+)%"[^>]*>([^<]+)</g)].map(
    ([, minor, at, words = ""]) => ({ isMinor: minor !== undefined, at: Number(at), words }),
  );
}

test.each(AXES)("no two numbers of an axis touch: $what", ({ width, letters, hasMinor }) => {
  const axes = [
    ...INTERVALS.map((interval) => scaleAxis(ratioScale([interval]), "ratio")),
    scaleAxis(msScale([-3, 47]), "ms"),
  ];
  for (const axis of axes) {
    const shown = numbersOf(axis).filter(({ isMinor }) => hasMinor || !isMinor);
    expect(shown.filter(({ words }) => /^0( ms)?$/.test(words))).toHaveLength(1);
    // Letters of usual fonts are at most so wide.
    const halfOf = ({ words }: AxisNumber) => (words.length * 0.63 * letters) / 2;
    const touching = shown.filter((number, index) => {
      const before = shown[index - 1];
      return (
        before !== undefined && ((number.at - before.at) / 100) * width < halfOf(number) + halfOf(before)
      );
    });
    expect(touching).toEqual([]);
  }
});

test("an axis that reaches beyond +50 % leaves out the number beside that one, and keeps the line", () => {
  const scale = ratioScale([{ low: 0.52, high: 1.52 }]);
  expect(scale.ticks).toEqual([0.75, 1, 1.25, 1.5]);
  expect(numbersOf(scaleAxis(scale, "ratio")).map(({ words }) => words)).toEqual(["−25 %", "0", "+50 %"]);
});

test("words have room for no difference first, then for the outermost ticks", () => {
  const scale: Scale = { position: (value) => value, zero: 40, ticks: [0, 20, 40, 60, 80, 100] };
  const chosenWith = (width: number) =>
    ticksWithWords(scale, { at: (tick) => tick, widthOf: () => width, gap: 0 });
  expect(chosenWith(20)).toEqual(scale.ticks);
  expect(chosenWith(25)).toEqual([0, 40, 100]);
  expect(chosenWith(50)).toEqual([40, 100]);
});
