import { type Run, type Sample, SampleTable } from "@evenbench/results";
import { analyseRun, type ReportData } from "../src/index.ts";
import { type SyntheticOptions, syntheticRun, syntheticSamples } from "./synthetic.ts";

/** CPU time of one exchange, in milliseconds, from what a synthetic run has of it. */
export type CpuOf = (sample: Sample) => number;

/** Nine tenths of the time to the last byte. */
export const STEADY_CPU: CpuOf = ({ lastByteMs }) => 0.9 * (lastByteMs ?? 0);

/** A run whose targets got eight exchanges of warm-up, and were found to be warm after some of them. */
function warmRun(options: SyntheticOptions, warmAfter: number | null): Run {
  const run = syntheticRun(options);
  const { cases, targets, trials } = run.plan;
  const warmUps = cases.flatMap(({ id }) =>
    targets.flatMap(({ name }) =>
      Array.from({ length: trials.maximum }, (_, trial) => ({
        caseId: id,
        target: name,
        trial,
        exchanges: 9,
        needed: 8,
        warmAfter,
      })),
    ),
  );
  return { ...run, warmUps };
}

/** A synthetic run whose exchanges have CPU time of their own. */
export function analysedWithCpu(
  options: SyntheticOptions,
  cpuOf: CpuOf = STEADY_CPU,
  change: (sample: Sample) => Sample = (sample) => sample,
  warmAfter: number | null = 5,
): ReportData {
  const run = warmRun(options, warmAfter);
  const samples = Array.from(syntheticSamples(run, options), (sample) =>
    change({ ...sample, cpuMs: cpuOf(sample), minorFaults: 100 }),
  );
  return analyseRun(run, SampleTable.from(samples));
}
