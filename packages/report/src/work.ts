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

type Placed = Pick<RunTarget, "name" | "app" | "platform" | "copyOf">;

/** What runs the code here, and where it is deployed: a local run is not the platform. */
const RUNS: Readonly<Record<string, { readonly local: string; readonly url: string }>> = {
  cloudflare: { local: "Cloudflare's workerd", url: "Cloudflare Workers" },
  vercel: { local: "Vercel's host", url: "Vercel Functions" },
  node: { local: "Node.js", url: "Node.js" },
  bun: { local: "Bun", url: "Bun" },
  deno: { local: "Deno", url: "Deno" },
};

/** What each target is called in sentences, headings and pictures, by name: "Cloudflare's workerd". */
export function spokenNames(
  targets: readonly (Placed & Pick<RunTarget, "place">)[],
): ReadonlyMap<string, string> {
  const names = platformNames(targets);
  return new Map(
    targets.flatMap(({ name, platform, place }) => {
      const own = names.get(name);
      if (own === undefined) return [];
      return [[name, own === platform ? (RUNS[own]?.[place] ?? own) : own] as const];
    }),
  );
}

/** What each target is called where apps stand side by side, by name: its platform, unless its app has two of that. */
export function platformNames(targets: readonly Placed[]): ReadonlyMap<string, string> {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const alone = ({ app, platform }: Placed) =>
    originals.filter((one) => one.app === app && one.platform === platform).length === 1;
  return new Map(
    originals.map((one) => [one.name, one.platform !== null && alone(one) ? one.platform : one.name]),
  );
}
