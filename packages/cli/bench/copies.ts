import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import { buildSlowed } from "./slowed-deployable.ts";

const CASE = "html-template";
const SLOWDOWNS = [0.01, 0.02, 0.03, 0.05];

export const GENERATIONS_A_RUN = 5;
/** Time of one target in a run of that size, warm-up and starts included. */
export const TIME_A_TARGET_MS = 4000;

/** One build under several names. */
export interface Copies {
  readonly caseManifest: CaseManifest;
  readonly otherCaseIds: readonly string[];
  /** "node", "copy" (the same) and copies whose handler takes longer: "slower 1 %" ... */
  readonly targets: readonly LocalTarget[];
}

/** Builds the slowed copies below `folder`. They are other artifacts: runs must allow the pin "artifact" to differ. */
export async function makeCopies(node: LocalTarget, folder: string): Promise<Copies> {
  const cases = await node.app.cases();
  const caseManifest = cases.find(({ id }) => id === CASE);
  if (caseManifest === undefined) throw new Error(`There is no case "${CASE}".`);
  const targets = [node, { ...node, name: "copy" }];
  for (const slowdown of SLOWDOWNS) {
    const name = `slower ${slowdown * 100} %`;
    const deployable = await buildSlowed(CASE, slowdown, join(folder, name));
    targets.push({ ...node, name, deployable });
  }
  return {
    caseManifest,
    otherCaseIds: cases.map(({ id }) => id).filter((id) => id !== CASE),
    targets,
  };
}
