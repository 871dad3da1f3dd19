// The figures of one case: how times are distributed, how trials differ, and how targets warm up.
import {
  axis,
  chart,
  dotOf,
  formatMs,
  isCopy,
  lineOf,
  type Markup,
  SHARE_AXIS,
  styleOf,
} from "@evenbench/page";
import * as Plot from "@observablehq/plot";
import type { CaseDetails, WarmUpDetails } from "../../facts/details.ts";
import type { CaseFacts, Facts } from "../../facts/facts.ts";
import { levelOf, targetOf } from "../../words/columns.ts";
import { amount, METRICS, TIME } from "../../words/metrics.ts";

function spoken(facts: Facts, name: string): string {
  return targetOf(facts, name)?.spoken ?? name;
}

/** Draws how many requests were done after how long; null where nothing was measured. */
export function distribution(facts: Facts, { id, title }: CaseFacts, details: CaseDetails): Markup | null {
  const { distributions } = details;
  const all = distributions.flatMap(({ points }) => points);
  const times = all.map(({ ms }) => ms);
  if (times.length === 0) {
    return null;
  }
  const medians = distributions.map(
    ({ target }) => `${spoken(facts, target)} ${amount(TIME, levelOf(facts, id, target)?.value ?? null)}`,
  );
  const cut = Math.round(100 * (1 - Math.max(...all.map(({ share }) => share))));
  return chart({
    heading: "Distribution",
    title: `Distribution of times, ${title}`,
    description: `Medians: ${medians.join(", ")}.`,
    caption: `How many requests were done after so many ms. Left is faster. The slowest ${cut} % are cut off.`,
    x: { ...axis(Math.min(...times), Math.max(...times)), label: `ms, ${METRICS[TIME].title.toLowerCase()}` },
    y: { ...SHARE_AXIS, label: "share of requests" },
    marks: distributions.map(({ target, points }) =>
      Plot.line(points, { x: "ms", y: "share", ...lineOf(target, facts.targets) }),
    ),
  });
}

/** Draws the change of each trial alone; null where nothing was compared. */
export function trials(facts: Facts, { id, title }: CaseFacts): Markup | null {
  const changes = facts.changes.filter(
    ({ case: of, metric, role, place, unit }) =>
      of === id && metric === TIME && role !== "other" && place === null && unit === "ratio",
  );
  const ratios = changes.flatMap(({ byTrial }) => byTrial);
  if (ratios.length === 0) {
    return null;
  }
  const aside = (index: number) => (index - (changes.length - 1) / 2) * 7;
  const copy = changes.find(({ role }) => role === "copy");
  const hollow = copy === undefined ? "" : ` Hollow: ${spoken(facts, copy.baseline)} against itself.`;
  return chart({
    heading: "Between trials",
    title: `Ratio in each trial, ${title}`,
    description: changes
      .map(
        ({ target, byTrial }) =>
          `${spoken(facts, target)}: ${byTrial.map((ratio) => ratio.toFixed(3)).join(", ")}`,
      )
      .join(". "),
    caption: `One dot for each fresh start: had you measured once, you would have believed this.${hollow}`,
    x: { type: "point", label: "trial", padding: 0.6 },
    y: {
      ...axis(Math.min(0.98, ...ratios) / 1.01, Math.max(1.02, ...ratios) * 1.01),
      label: "time, as a multiple of the baseline's",
      grid: true,
    },
    marks: [
      Plot.ruleY([1], { stroke: "var(--ink)", strokeWidth: 1 }),
      ...changes.map(({ target, byTrial }, index) =>
        Plot.dot(
          byTrial.map((ratio, trial) => ({ ratio, trial: trial + 1 })),
          { x: "trial", y: "ratio", dx: aside(index), r: 4, ...dotOf(target, facts.targets) },
        ),
      ),
    ],
  });
}

/** A curve of warming up, with the points that are known. */
interface Curve extends Pick<WarmUpDetails, "target" | "warmFrom"> {
  readonly points: readonly { readonly request: number; readonly ms: number }[];
}

/** Draws the times of the first requests of a fresh instance; null where they are not known. */
export function warmUp(facts: Facts, { title }: CaseFacts, { warmUps }: CaseDetails): Markup | null {
  // An A/A copy's would be its original's again.
  const curves = warmUps.filter(({ target }) => !isCopy(target, facts.targets)).flatMap(curveOf);
  const all = curves.flatMap(({ points }) => points);
  if (all.length === 0) {
    return null;
  }
  const times = all.map(({ ms }) => ms);
  const last = Math.max(...all.map(({ request }) => request));
  const described = curves.map(
    ({ target, points }) =>
      `${spoken(facts, target)}: ${formatMs(points[0]?.ms ?? null)}, at last ${formatMs(points.at(-1)?.ms ?? null)}`,
  );
  const dashed = curves.some(({ warmFrom }) => warmFrom !== null) ? " Dashed: warm from here." : "";
  return chart({
    heading: "Warm-up",
    title: `Warm-up, ${title}`,
    description: `${described.join(". ")}.`,
    caption: `Time of the first, second … request after a start; median of all starts, smoothed from the tenth on.${dashed}`,
    x: {
      type: "log",
      domain: [1, last],
      ticks: Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, power) => 10 ** power),
      tickFormat: String,
      label: "request of a fresh instance",
    },
    y: { ...axis(Math.min(...times) * 0.95, Math.max(...times)), label: "ms to the last byte", grid: true },
    marks: curves.flatMap(({ target, points, warmFrom }) => [
      Plot.line(points, { x: "request", y: "ms", ...lineOf(target, facts.targets) }),
      Plot.ruleX(warmFrom === null ? [] : [warmFrom], {
        stroke: styleOf(target, facts.targets).stroke,
        strokeDasharray: "2 3",
      }),
    ]),
  });
}

/** Gives the curve of a target; empty with fewer than two points. */
function curveOf({ target, warmFrom, points }: WarmUpDetails): readonly Curve[] {
  const known = points.flatMap(({ request, lastByteMs: ms }) =>
    ms === null || ms <= 0 ? [] : [{ request, ms }],
  );
  return known.length < 2 ? [] : [{ target, warmFrom, points: known }];
}
