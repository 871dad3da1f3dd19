import type { CaseAnalysis } from "@evenbench/stats";
import type { CaseReport, Warning } from "./data.ts";
import { formatPercent } from "./format.ts";

/** Noise of the time's control from which the machine was too busy for times, as a fraction. */
const BUSY_NOISE = 0.1;
/** Noise of the CPU time's control up to which its verdicts stand nevertheless. */
const STANDING_NOISE = 0.05;

export const BUSY = "The machine was too busy for times; CPU time still stands.";

/** Whether a case's times say little because of what else ran, while its CPU time says as much as it should. */
export function isBusy({ headline, cpuTime, audit }: CaseReport): boolean {
  const late = audit.some(({ kind }) => kind === "client-late");
  const [time, cpu] = [noiseOf(headline), noiseOf(cpuTime)];
  return (late || (time !== null && time > BUSY_NOISE)) && cpu !== null && cpu < STANDING_NOISE;
}

/** The cases of which that is so, as a warning. */
export function busyWarnings(cases: readonly CaseReport[]): Warning[] {
  const details = cases.filter(isBusy).map(({ manifest, headline, cpuTime }) => {
    const [time, cpu] = [noiseOf(headline), noiseOf(cpuTime)].map((noise) =>
      noise === null ? "is not known" : `could differ by ${formatPercent(noise)}`,
    );
    return `${manifest.id}: the baseline against its own A/A copy: time ${time}, CPU time ${cpu}`;
  });
  if (details.length === 0) return [];
  return [
    {
      severity: "caution",
      title: BUSY.slice(0, -1),
      details,
      remedy: "Read the verdicts on CPU time. For times, measure again while nothing else runs.",
    },
  ];
}

function noiseOf(analysis: CaseAnalysis | null): number | null {
  return analysis?.noiseFloor ?? null;
}
