import type { RunTarget } from "@evenbench/results";
import type { CaseReport } from "./data.ts";

/** Cases of one kind of work, in the order of the plan. */
export interface WorkGroup {
  readonly kind: string;
  readonly cases: readonly CaseReport[];
}

/** Cases by their kind of work; kinds in the order in which the plan has them first. */
export function workGroups(cases: readonly CaseReport[]): readonly WorkGroup[] {
  return [...Map.groupBy(cases, ({ kindOfWork }) => kindOfWork)].map(([kind, own]) => ({ kind, cases: own }));
}

type Placed = Pick<RunTarget, "name" | "app" | "platform" | "copyOf" | "about">;

/** What each target is called in sentences, headings and pictures, by name: "Cloudflare's workerd". */
export function spokenNames(targets: readonly Placed[]): ReadonlyMap<string, string> {
  const names = platformNames(targets);
  return new Map(
    targets.flatMap(({ name, platform, about }) => {
      const own = names.get(name);
      if (own === undefined) return [];
      return [[name, own === platform ? (about?.spoken ?? own) : own] as const];
    }),
  );
}

/** What each target is called where apps stand side by side, by name: its platform, unless its app has two of that. */
export function platformNames(targets: readonly Omit<Placed, "about">[]): ReadonlyMap<string, string> {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const alone = ({ app, platform }: Omit<Placed, "about">) =>
    originals.filter((one) => one.app === app && one.platform === platform).length === 1;
  return new Map(
    originals.map((one) => [one.name, one.platform !== null && alone(one) ? one.platform : one.name]),
  );
}
