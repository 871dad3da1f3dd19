import { interleave } from "@evenbench/probe";
import type { OfferedLoad } from "@evenbench/results";
import { lengthOf } from "./plan/stage-time.ts";
import type { TrialLoad } from "./trial-load.ts";

/** Every load on every subject, in one random order over both: what drifts meanwhile hits all alike. */
export async function sweepLoads(trial: TrialLoad, loads: readonly OfferedLoad[]): Promise<void> {
  const cells = trial.subjects.flatMap((subject) => loads.map((load) => ({ subject, load })));
  const { stageMs } = trial.work.session.plan;
  for (const { subject, load } of interleave(cells, trial.seedOf("order"))()) {
    await trial.stage(subject, load, stageMs * lengthOf(load));
  }
}
