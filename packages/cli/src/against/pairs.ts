import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { digestOfDirectory } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import type { LocalTarget } from "@evenbench/runner";
import type { ListDocument } from "../list-document.ts";

export interface Pair {
  readonly name: string;
  readonly base: LocalTarget;
  readonly head: LocalTarget;
  /** Those that both have. */
  readonly cases: readonly CaseManifest[];
}

export interface Pairs {
  readonly changed: readonly Pair[];
  /** Names of targets that are the same byte for byte. */
  readonly equal: readonly string[];
  readonly oneSided: readonly string[];
}

export interface State {
  readonly folder: string;
  readonly has?: ListDocument;
}

/** Puts each target of one state beside the one of the other; deployables lie at the same place in both. */
export async function pairUp(
  targets: readonly LocalTarget[],
  cases: Readonly<Record<string, readonly CaseManifest[]>>,
  { base, head }: { readonly base: State; readonly head: State },
  root = repositoryRoot,
): Promise<Pairs> {
  const changed: Pair[] = [];
  const equal: string[] = [];
  const oneSided: string[] = [];
  for (const target of targets) {
    const [before, after] = [base, head].map(({ folder }) => ({
      ...target,
      deployable: join(folder, relative(root, target.deployable)),
    })) as [LocalTarget, LocalTarget];
    const missing = [...(isIn(base, before) ? [] : ["base"]), ...(isIn(head, after) ? [] : ["other state"])];
    if (missing.length > 0) {
      oneSided.push(`${target.name} is not in the ${missing.join(" and the ")}, or is not built there.`);
      continue;
    }
    const digests = await Promise.all([before, after].map(({ deployable }) => digestOfDirectory(deployable)));
    if (digests[0] === digests[1]) {
      equal.push(target.name);
      continue;
    }
    const own = cases[target.app.id] ?? [];
    changed.push({
      name: target.name,
      base: { ...before, name: `${target.name}.base` },
      head: { ...after, name: `${target.name}.head` },
      cases: own.filter(({ id }) => hasCase(base, target, id) && hasCase(head, target, id)),
    });
  }
  for (const [app, own] of Object.entries(cases)) oneSided.push(...oneSidedCases(app, own, base));
  return { changed, equal, oneSided };
}

/** Whether a state has a target. One whose commands said nothing has what lies there built. */
const isIn = ({ has }: State, { name, deployable }: LocalTarget): boolean =>
  (has === undefined || has.targets.some((one) => one.name === name)) && existsSync(deployable);

const hasCase = ({ has }: State, { app }: LocalTarget, caseId: string): boolean =>
  has === undefined || has.cases[app.id]?.some(({ id }) => id === caseId) === true;

function oneSidedCases(app: string, own: readonly CaseManifest[], { has }: State): string[] {
  const known = has?.cases[app]?.map(({ id }) => id);
  if (known === undefined) return [];
  return own.filter(({ id }) => !known.includes(id)).map(({ id }) => `The case ${id} is not in the base.`);
}
