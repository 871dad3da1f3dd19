import { existsSync } from "node:fs";
import { digestOfDirectory } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import { preflight } from "@evenbench/probe/preflight";
import { type LocalTarget, startTargets } from "@evenbench/runner";
import { placeIn } from "./base.ts";

export interface Pair {
  readonly name: string;
  readonly base: LocalTarget;
  readonly head: LocalTarget;
  readonly cases: readonly CaseManifest[];
}

export interface Pairs {
  readonly changed: readonly Pair[];
  readonly equal: readonly string[];
  readonly oneSided: readonly string[];
}

/** Where the two states are. */
export interface Folders {
  readonly base: string;
  readonly head: string;
}

/** Deployables lie at the same place in both states. */
export async function pairUp(
  targets: readonly LocalTarget[],
  cases: Readonly<Record<string, readonly CaseManifest[]>>,
  folders: Folders,
  root = repositoryRoot,
): Promise<Pairs> {
  const changed: Pair[] = [];
  const equal: string[] = [];
  const oneSided: string[] = [];
  for (const target of targets) {
    const { name } = target;
    const placed = (state: keyof Folders) => {
      const deployable = placeIn(folders[state], target, root);
      return { ...target, name: `${name}.${state}`, deployable };
    };
    const [base, head] = [placed("base"), placed("head")];
    const missing = [
      ...(existsSync(base.deployable) ? [] : ["base"]),
      ...(existsSync(head.deployable) ? [] : ["other state"]),
    ];
    if (missing.length > 0) {
      oneSided.push(`${name} is not in the ${missing.join(" and the ")}, or is not built there.`);
      continue;
    }
    const digests = await Promise.all([base, head].map(({ deployable }) => digestOfDirectory(deployable)));
    if (digests[0] === digests[1]) equal.push(name);
    else changed.push({ name, base, head, cases: cases[target.app.id] ?? [] });
  }
  return { changed, equal, oneSided };
}

export interface Comparable {
  readonly cases: readonly CaseManifest[];
  readonly left: readonly string[];
}

/** A case that is new, or sends another body than before, is other work, and no change of speed. */
export async function comparableCases(
  { base, head, cases, name }: Pair,
  {
    allow,
    otherCaseIds,
    signal,
  }: { allow: readonly string[]; otherCaseIds: readonly string[]; signal: AbortSignal },
): Promise<Comparable> {
  const services = cases.flatMap((manifest) => manifest.services);
  const served = await startTargets([base, head], { services });
  try {
    const { problems } = await preflight({
      targets: served.targets().map(({ name: state, url }) => ({ name: state, url })),
      cases: cases.map(withoutGolden),
      otherCaseIds,
      allow,
      signal,
    });
    const problemOf = (id: string) => problems.find(({ caseId }) => caseId === id);
    return {
      cases: cases.filter(({ id }) => problemOf(id) === undefined),
      left: cases.flatMap(({ id }) => {
        const problem = problemOf(id);
        return problem === undefined ? [] : [`${id} on ${name} is not compared: ${problem.what}`];
      }),
    };
  } finally {
    await served.stop();
  }
}

/** Two states are held against one another: golden values are the working copy's. */
export function withoutGolden(manifest: CaseManifest): CaseManifest {
  return { ...manifest, golden: null };
}
