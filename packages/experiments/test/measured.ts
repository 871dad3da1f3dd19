import type { ComparisonResult, Estimate, SideResult } from "@evenbench/results";
import type { ComparisonPlan, Experiment, Side } from "../src/define.ts";
import { discoverExperiments } from "../src/discover.ts";

export const experiments = await discoverExperiments();

export const experiment = (id: string): Experiment => {
  const found = experiments.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no experiment ${id}.`);
  return found;
};

export const around = (estimate: number): Estimate => ({
  estimate,
  low: estimate * 0.98,
  high: estimate * 1.02,
});

function side(name: string, more: Partial<SideResult> = {}): SideResult {
  return {
    name,
    target: name,
    otherwise: null,
    bodyBytes: 100,
    bodySha256: "ab".repeat(32),
    exchanges: 50,
    errors: 0,
    rendersPerRequest: 1,
    firstByteMs: around(10),
    lastByteMs: around(20),
    lastToFirst: around(2),
    cpuMsPerExchange: around(15),
    residentBytes: 50e6,
    peakResidentBytes: 60e6,
    ...more,
  };
}

/** A measured comparison of a plan, in which every contrast is what `ratioOf` says. */
export function measured(
  { id, caseId, sides }: ComparisonPlan,
  ratioOf: (side: string, against: string) => number,
  more: (name: string) => Partial<SideResult> = () => ({}),
): ComparisonResult {
  const names = sides.map(({ name }) => name);
  const all = (value: number) => ({
    firstByteMs: around(value),
    lastByteMs: around(value),
    cpu: around(value),
    notWarm: null,
  });
  return {
    id,
    caseId,
    sides: names.map((name) => side(name, more(name))),
    unmeasured: [],
    contrasts: names.flatMap((one) =>
      names
        .filter((other) => other !== one)
        .map((other) => ({ side: one, against: other, ...all(ratioOf(one, other)) })),
    ),
    control: { side: `${names[0]}~copy`, against: names[0] ?? "", ...all(1) },
    trials: 5,
    events: [],
  };
}

/** A side of the case "payload" that costs next to nothing. */
export const small = (name: string, target: string, more: Partial<Side> = {}): Side => ({
  name,
  target,
  parameters: { bytes: 2000 },
  ...more,
});
