import { counted, html, type Markup } from "@evenbench/page";
import { cell } from "../words/notation.ts";
import type { TargetHistory } from "./histories.ts";

const WIDTH = 110;
const HEIGHT = 32;
/** Room for the dot of the newest run, on all sides. */
const MARGIN = 4;
/** The least that the scale reaches to both sides of "no change", as a factor: noise must not look like a change. */
const LEAST_REACH = 1.25;

/** How far a scale reaches to both sides of 1, as a factor: the same for all lines that are compared by eye. */
export function reachOf(targetHistories: readonly TargetHistory[]): number {
  const estimates = targetHistories.flatMap((targetHistory) =>
    ratiosOf(targetHistory).map(({ estimate }) => estimate),
  );
  return Math.max(LEAST_REACH, ...estimates.map((estimate) => Math.max(estimate, 1 / estimate)));
}

function ratiosOf({ points }: TargetHistory) {
  return points.flatMap(({ index, change }) =>
    change === null || change.estimate === null ? [] : [{ index, estimate: change.estimate }],
  );
}

/** Tells whether a history has a line: at least two runs to join. */
export function hasLine(targetHistory: TargetHistory): boolean {
  return ratiosOf(targetHistory).length > 1;
}

/**
 * Draws how the change of a target went from run to run: below the grey line it takes less than the baseline. On a
 * scale of logarithms.
 *
 * @param runs number of runs of the place.
 * @returns null where there are fewer than two runs to join.
 */
export function sparkline(targetHistory: TargetHistory, runs: number, reach: number): Markup | null {
  const points = ratiosOf(targetHistory);
  const last = points.at(-1);
  if (points.length < 2 || last === undefined) {
    return null;
  }
  const x = (index: number) => round(MARGIN + (index / Math.max(1, runs - 1)) * (WIDTH - 2 * MARGIN));
  const y = (ratio: number) =>
    round(HEIGHT / 2 - (Math.log(ratio) / Math.log(reach)) * (HEIGHT / 2 - MARGIN));
  const line = points.map(({ index, estimate }) => `${x(index)},${y(estimate)}`).join(" ");
  const { change } = targetHistory.newest;
  const now = change === null ? "" : `, newest ${cell(change)}`;
  const label = `${targetHistory.target.spoken}, ${counted(points.length, "run")}${now}`;
  const middle = HEIGHT / 2;
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"
 role="img" aria-label="${label}"><line x1="0" x2="${WIDTH}" y1="${middle}" y2="${middle}" class="base"/>
<polyline points="${line}" fill="none" stroke="currentColor" stroke-width="1.5"/>
<circle cx="${x(last.index)}" cy="${y(last.estimate)}" r="3" fill="currentColor"/></svg>`;
}

function round(length: number): number {
  return Number(length.toFixed(1));
}
