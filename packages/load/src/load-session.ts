import type { CaseManifest, Identity } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import type { LoadPlan } from "@evenbench/results";
import type { RememberedNeeds } from "@evenbench/runner/engine";
import type { LoadMeasuring } from "./load-record.ts";
import type { LoadOptions, SubjectChoice } from "./options.ts";

export interface LoadSession {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly measuring: LoadMeasuring;
  /** As preflight saw them, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
}

export interface CaseLoad {
  readonly session: LoadSession;
  readonly manifest: CaseManifest;
  readonly expected: Expectation;
  readonly choices: readonly SubjectChoice[];
  readonly warmUps: RememberedNeeds;
}
