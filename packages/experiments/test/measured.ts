import type { Estimate } from "@evenbench/results";
import type { ComparisonPlan, Experiment, Side } from "../src/define.ts";
import { discoverExperiments } from "../src/discover.ts";
import type { ComparisonResult, Contrast, SideResult } from "../src/side-results.ts";

export const experiments = await discoverExperiments();

export const experiment = (id: string): Experiment => {
  const found = experiments.find((candidate) => candidate.id === id);
  if (found === undefined) {
    throw new Error(`There is no experiment ${id}.`);
  }
  return found;
};

export const around = (estimate: number, half = 0.02): Estimate => ({
  estimate,
  low: estimate * (1 - half),
  high: estimate * (1 + half),
});

function sideResult(name: string, more: Partial<SideResult>): SideResult {
  return {
    name,
    rendersPerRequest: 1,
    firstByteMs: around(10),
    lastByteMs: around(20),
    cpuMsPerExchange: around(15),
    ...more,
  };
}

/** A measured comparison of a plan, in which every contrast is what `ratioOf` says. */
export function measured(
  { id, caseId, sides }: ComparisonPlan,
  ratioOf: (side: string, against: string) => number | Estimate | null,
  more: (name: string) => Partial<SideResult> = () => ({}),
): ComparisonResult {
  const names = sides.map(({ name }) => name);
  const contrast = (side: string, against: string, ratio: number | Estimate | null): Contrast => {
    const value = typeof ratio === "number" ? around(ratio) : ratio;
    return { side, against, firstByteMs: value, lastByteMs: value, cpu: value, notWarm: null };
  };
  return {
    id,
    caseId,
    report: `a-claim/${id}/report.html`,
    unmeasured: [],
    sides: names.map((name) => sideResult(name, more(name))),
    contrasts: names.flatMap((side) =>
      names.filter((other) => other !== side).map((other) => contrast(side, other, ratioOf(side, other))),
    ),
  };
}

/** A side of the case "payload" that costs next to nothing. */
export const small = (name: string, target: string, more: Partial<Side> = {}): Side => ({
  name,
  target,
  parameters: { bytes: 2000 },
  ...more,
});
