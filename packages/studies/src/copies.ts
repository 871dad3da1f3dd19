import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import { buildSlowed } from "./slowed-deployable.ts";

const USUAL_CASE = "html-template";
const SLOWDOWNS = [0.03, 0.05];

/** Sizes of runs, in trials. */
export const SIZES = [3, 5, 7, 10] as const;
export const LARGEST_SIZE = Math.max(...SIZES);
/** Time of one target in one trial, warm-up and start included. */
export const TIME_A_TRIAL_MS = 800;
/** No interim analysis may end a run early: every trial is wanted. */
export const NEVER_PRECISE = 1e-9;

export function sizeInWords(trials: number): string {
  return `${trials} trials, ${(trials * TIME_A_TRIAL_MS) / 1000} s a target`;
}

/** One build under several names. */
export interface Copies {
  readonly caseManifest: CaseManifest;
  readonly otherCaseIds: readonly string[];
  /** "node", "copy" (the same) and copies whose handler takes longer: "slower 1 %" ... */
  readonly targets: readonly LocalTarget[];
}

/**
 * Builds the slowed copies below `folder`. They are other artifacts: runs must allow the pin "artifact" to
 * differ.
 */
export async function makeCopies(
  node: LocalTarget,
  folder: string,
  words: readonly string[],
): Promise<Copies> {
  const cases = await node.app.cases();
  const caseId = cases.find(({ id }) => words.includes(id))?.id ?? USUAL_CASE;
  const caseManifest = cases.find(({ id }) => id === caseId);
  if (caseManifest === undefined) throw new Error(`There is no case "${caseId}".`);
  const targets = [node, { ...node, name: "copy" }];
  for (const slowdown of SLOWDOWNS) {
    const name = `slower ${slowdown * 100} %`;
    const deployable = await buildSlowed({ [caseId]: slowdown }, join(folder, name));
    targets.push({ ...node, name, deployable });
  }
  return {
    caseManifest,
    otherCaseIds: cases.map(({ id }) => id).filter((id) => id !== caseId),
    targets,
  };
}
