import { existsSync } from "node:fs";
import { digestOfDirectory } from "@evenbench/bundle";
import type { CaseManifest } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import { preflight } from "@evenbench/probe/preflight";
import { type LocalTarget, startTargets } from "@evenbench/runner";
import { type ListDocument, placeIn } from "./base.ts";

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

export interface State {
  readonly folder: string;
  readonly has?: ListDocument;
}

/** Deployables lie at the same place in both states. */
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
    const { name } = target;
    const before = { ...target, name: `${name}.base`, deployable: placeIn(base.folder, target, root) };
    const after = { ...target, name: `${name}.head`, deployable: placeIn(head.folder, target, root) };
    const missing = [
      ...(isIn(base, name, before) ? [] : ["base"]),
      ...(isIn(head, name, after) ? [] : ["other state"]),
    ];
    if (missing.length > 0) {
      oneSided.push(`${name} is not in the ${missing.join(" and the ")}, or is not built there.`);
      continue;
    }
    const digests = await Promise.all([before, after].map(({ deployable }) => digestOfDirectory(deployable)));
    if (digests[0] === digests[1]) {
      equal.push(name);
      continue;
    }
    const known = (cases[target.app.id] ?? []).filter(
      ({ id }) => hasCase(base, target, id) && hasCase(head, target, id),
    );
    changed.push({ name, base: before, head: after, cases: known });
  }
  for (const [app, manifests] of Object.entries(cases)) oneSided.push(...oneSidedCases(app, manifests, base));
  return { changed, equal, oneSided };
}

const isIn = ({ has }: State, name: string, { deployable }: LocalTarget): boolean =>
  (has === undefined || has.targets.some((listed) => listed.name === name)) && existsSync(deployable);

const hasCase = ({ has }: State, { app }: LocalTarget, caseId: string): boolean =>
  has === undefined || has.cases[app.id]?.some(({ id }) => id === caseId) === true;

function oneSidedCases(app: string, manifests: readonly CaseManifest[], { has }: State): string[] {
  const known = has?.cases[app]?.map(({ id }) => id);
  if (known === undefined) return [];
  return manifests
    .filter(({ id }) => !known.includes(id))
    .map(({ id }) => `The case ${id} is not in the base.`);
}

export interface Comparable {
  readonly cases: readonly CaseManifest[];
  readonly left: readonly string[];
}

/** A case that sends another body than before is other work, and no change of speed. */
export async function comparableCases(
  { base, head, cases, name }: Pair,
  terms: { allow: readonly string[]; otherCaseIds: readonly string[]; signal: AbortSignal },
): Promise<Comparable> {
  const services = cases.flatMap((manifest) => manifest.services);
  const served = await startTargets([base, head], { services });
  try {
    const { problems } = await preflight({
      targets: served.targets().map(({ name: state, url }) => ({ name: state, url })),
      cases: cases.map(withoutGolden),
      ...terms,
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
