import type { Timeline } from "@evenbench/results";
import { PARTS, type Part, type PartTime } from "@evenbench/stats";
import * as Plot from "@observablehq/plot";
import type { CaseReport } from "../data.ts";
import { formatBytes, formatMs } from "../format.ts";
import { chart, lineOf, SHARE_AXIS } from "../html/plot.ts";
import { markedRatio } from "../marks.ts";
import { section } from "./section.ts";

const PART_WORDS: Readonly<Record<Part, string>> = {
  first: "First part",
  half: "Half of it",
  last: "All of it",
};

export const arrival = section({
  title: "Arrival of the body",
  /** The one whose body took the median time: one drawing for all trials. */
  measure: ({ run, own, names }) =>
    names.flatMap((target) => {
      const all = own(run.timelines).filter((one) => one.target === target && one.round === 0);
      const ordered = all.toSorted((a, b) => lastOf(a)[0] - lastOf(b)[0]);
      return ordered[Math.floor((ordered.length - 1) / 2)] ?? [];
    }),
  figure: (timelines, { manifest }, { targets }) => {
    if (timelines.length === 0) return null;
    const described = timelines.map((one) => {
      const [ms, bytes] = lastOf(one);
      return `${one.target}: first part after ${formatMs(one.arrivals[0]?.[0] ?? null)}, all ${formatBytes(bytes)} after ${formatMs(ms)}`;
    });
    return chart({
      heading: "Arrival of the body",
      title: `Arrival of the streamed body, ${manifest.id}`,
      description: `${described.join(". ")}.`,
      caption:
        "One request of each target, from the trial whose body took the median time; not one of those that were timed. A steep end is a body that was held back.",
      x: {
        label: "ms since the request",
        domain: [0, Math.max(...timelines.map((one) => lastOf(one)[0]))],
        ticks: 5,
      },
      y: { ...SHARE_AXIS, label: "share of the body" },
      marks: timelines.map((one) =>
        Plot.line(
          one.arrivals.map(([ms, arrived]) => ({ ms, share: arrived / lastOf(one)[1] })),
          { x: "ms", y: "share", curve: "step-after", ...lineOf(one.target, targets) },
        ),
      ),
    });
  },
});

function lastOf({ arrivals }: Timeline): readonly [ms: number, bytes: number] {
  return arrivals.at(-1) ?? [0, 1];
}

interface Arrived {
  readonly target: string;
  readonly own: readonly PartTime[];
}

export const parts = section<Arrived>({
  title: "Arrival of the body",
  rows: ({ targets, partTimes }) =>
    targets.flatMap((target) => {
      const own = partTimes.filter((one) => one.target === target);
      return own.length === 0 ? [] : [{ target, own }];
    }),
  columns: PARTS.flatMap((part, index) => [
    [PART_WORDS[part], ({ own }: Arrived) => formatMs(own[index]?.ms ?? null)] as const,
    [
      "Ratio (99 % interval)",
      ({ target, own }: Arrived, { baseline }: CaseReport) =>
        target === baseline ? "1" : markedRatio(own[index]),
    ] as const,
  ]),
  note: () =>
    "Time until a part of the streamed body is there, in some rounds after those that were timed: the geometric mean of the trials' medians. Verdicts as for times.",
});
