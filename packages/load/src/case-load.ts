import type { CaseManifest, Identity, LoadPlan } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import type { InstanceSettings } from "@evenbench/runner/engine";
import { huntCapacity } from "./capacity-hunt.ts";
import type { LoadRecorder } from "./engine/recorder.ts";
import type { LoadOptions, SubjectChoice } from "./options.ts";
import { SetLoad } from "./set-load.ts";
import { sweep } from "./sweep.ts";

/** What all cases of a load run share. */
export interface LoadSession {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly recorder: LoadRecorder;
  readonly settings: InstanceSettings;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  /** Whether the client shares no core with the servers. */
  readonly ownCores: boolean;
  readonly signal: AbortSignal;
  /** As preflight saw them, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
}

/** A case with all that is to be loaded in it. */
export interface CaseLoad {
  readonly session: LoadSession;
  readonly manifest: CaseManifest;
  readonly expected: Expectation;
  readonly choices: readonly SubjectChoice[];
}

/** Puts load on all subjects of one case: set after set of fresh instances. */
export async function loadCase(work: CaseLoad): Promise<void> {
  const { options, plan, signal } = work.session;
  const { goal } = options;
  for (let set = 0; set < plan.sets && !signal.aborted; set++) {
    const instances = await SetLoad.start(work, set);
    try {
      if (goal.kind === "sweep") await sweep(instances, goal.loads);
      else await huntCapacity(instances, goal);
    } finally {
      await instances.stop();
    }
  }
}
