import type { CaseManifest } from "@evenbench/core";
import type { InstanceUsage, RunPlan, Sample, WarmUp } from "@evenbench/results";

/** The samples of a case so far, with all that is needed to fit it. */
export interface MeasuredCase {
  readonly manifest: Pick<CaseManifest, "id" | "scatter" | "rounds" | "cached" | "partlyCached">;
  readonly plan: Pick<RunPlan, "targets" | "roundsPerTrial">;
  readonly baseline: string;
  /** Targets that are still measured. */
  readonly targets: readonly { readonly name: string; readonly copyOf: string | null }[];
  /** Samples of measured rounds, of all trials. */
  readonly samples: readonly Sample[];
  /** The run's warm-ups, of all cases. */
  readonly warmUps: readonly WarmUp[];
  /** The operating system's accounts of instances, of all cases of the run. */
  readonly usage: readonly InstanceUsage[];
}
