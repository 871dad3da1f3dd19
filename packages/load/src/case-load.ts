import { huntCapacity } from "./capacity-hunt.ts";
import { timeOf } from "./load-plan.ts";
import type { CaseLoad } from "./load-session.ts";
import { sweepLoads } from "./sweep-loads.ts";
import { TrialLoad } from "./trial-load.ts";

/** Puts load on all subjects of one case: trial after trial. */
export async function loadCase(work: CaseLoad): Promise<void> {
  const { options, plan, measuring } = work.session;
  const { goal } = options;
  const endsAt = performance.now() + timeOf(options);
  for (let trial = 0; trial < plan.trials && !measuring.signal.aborted; trial++) {
    const instances = await TrialLoad.start(work, trial, endsAt);
    work.warmUps.keep();
    try {
      if (goal.kind === "sweep") await sweepLoads(instances, goal.loads);
      else await huntCapacity(instances, goal);
    } finally {
      await instances.stop();
    }
  }
}
