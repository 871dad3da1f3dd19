import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { digestOfDirectory } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import type { LocalTarget } from "@evenbench/runner";
import type { BaseTargets } from "./build-base.ts";

/** One target in both states of the repository. */
export interface Pair {
  readonly name: string;
  readonly base: LocalTarget;
  readonly head: LocalTarget;
  /** Those that both have. */
  readonly cases: readonly CaseManifest[];
}

/** What can be compared, and what cannot. */
export interface Pairs {
  readonly changed: readonly Pair[];
  /** Names of targets that are the same byte for byte. */
  readonly equal: readonly string[];
  /** Targets and cases that only one of the two has, as lines for people. */
  readonly oneSided: readonly string[];
}

/**
 * Puts each target beside the one of the base.
 *
 * @param folder of the base's worktree.
 * @param root of the working copy.
 * @param cases of the working copy, by app id: those that are asked for.
 */
export async function pairUp(
  targets: readonly LocalTarget[],
  cases: Readonly<Record<string, readonly CaseManifest[]>>,
  base: BaseTargets,
  folder: string,
  root = repositoryRoot,
): Promise<Pairs> {
  const changed: Pair[] = [];
  const equal: string[] = [];
  const oneSided: string[] = [];
  for (const target of targets) {
    const deployable = join(folder, relative(root, target.deployable));
    if (!base.targets.some(({ name }) => name === target.name) || !existsSync(deployable)) {
      oneSided.push(`${target.name} is not in the base, or could not be built there.`);
      continue;
    }
    const digests = await Promise.all([deployable, target.deployable].map((one) => digestOfDirectory(one)));
    if (digests[0] === digests[1]) {
      equal.push(target.name);
      continue;
    }
    const known = new Set(base.cases[target.app.id]?.map(({ id }) => id));
    changed.push({
      name: target.name,
      base: { ...target, name: `${target.name}.base`, deployable },
      head: { ...target, name: `${target.name}.head` },
      cases: (cases[target.app.id] ?? []).filter(({ id }) => known.has(id)),
    });
  }
  for (const [app, own] of Object.entries(cases)) oneSided.push(...oneSidedCases(app, own, base));
  return { changed, equal, oneSided };
}

function oneSidedCases(app: string, own: readonly CaseManifest[], base: BaseTargets): string[] {
  const known = base.cases[app]?.map(({ id }) => id);
  if (known === undefined) return [];
  return own.filter(({ id }) => !known.includes(id)).map(({ id }) => `The case ${id} is not in the base.`);
}
