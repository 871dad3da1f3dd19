import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Finding, measurePairs } from "@evenbench/cli/against";
import type { LocalTarget } from "@evenbench/runner";
import { row } from "./print.ts";
import { buildSlowed } from "./slowed.ts";

const SLOWED = "trig";
const UNTOUCHED = "json-reviver";
const SLOWDOWN = 0.05;
const DEFAULT_RUNS = 20;

/**
 * What `evenbench against` says of a commit that changes nothing, and of one that makes one case 5 % slower.
 * One more run of each comes before, and does not count.
 */
export async function against(
  node: LocalTarget,
  runs = DEFAULT_RUNS,
  timeMs: number | null = null,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-against-study-"));
  try {
    const built = (name: string, slowdown: number) =>
      buildSlowed({ [SLOWED]: slowdown, [UNTOUCHED]: 0 }, join(folder, name));
    const base = await built("base", 0);
    const heads = {
      "nothing changed": await built("same", 0),
      "5 % slower": await built("slower", SLOWDOWN),
    };
    const found = new Map<string, Finding[]>();
    // A short time would cut off the search for what instances need to be warm; what a first run finds is
    // kept for the others.
    for (const head of Object.values(heads))
      await findingsOf(node, { base, head }, { out: join(folder, "runs"), timeMs: null });
    for (let index = 0; index < runs; index++) {
      for (const [name, head] of Object.entries(heads)) {
        const findings = await findingsOf(node, { base, head }, { out: join(folder, "runs"), timeMs });
        found.set(name, [...(found.get(name) ?? []), ...findings]);
        console.log(`${index + 1}/${runs} ${name}: ${findings.map(inWords).join("; ")}`);
      }
    }
    for (const [name, findings] of found) report(name, findings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findingsOf(
  node: LocalTarget,
  { base, head }: { readonly base: string; readonly head: string },
  { out, timeMs }: { readonly out: string; readonly timeMs: number | null },
): Promise<readonly Finding[]> {
  const manifests = await node.app.cases();
  const isAsked = (id: string) => id === SLOWED || id === UNTOUCHED;
  const pair = {
    name: node.name,
    base: { ...node, name: "base", deployable: base },
    head: { ...node, name: "head", deployable: head },
    cases: manifests.filter(({ id }) => isAsked(id)),
  };
  const { findings } = await measurePairs([pair], {
    out,
    otherIds: manifests.map(({ id }) => id).filter((id) => !isAsked(id)),
    signal: new AbortController().signal,
    ...(timeMs === null ? {} : { time: timeMs }),
  });
  return findings;
}

function inWords({ caseId, verdict, ratio, cpuVerdict, cpuRatio }: Finding): string {
  const one = (said: string | null, value: Finding["ratio"]) =>
    value === null
      ? `${said}`
      : `${said} ${value.estimate.toFixed(3)} (${value.low.toFixed(3)}-${value.high.toFixed(3)})`;
  return `${caseId} time ${one(verdict, ratio)}, CPU ${one(cpuVerdict, cpuRatio)}`;
}

function report(name: string, findings: readonly Finding[]): void {
  for (const caseId of [SLOWED, UNTOUCHED]) {
    const own = findings.filter((finding) => finding.caseId === caseId);
    row(`${name}: ${caseId}, time`, counted(own.map(({ verdict }) => verdict)));
    row(`${name}: ${caseId}, CPU time`, counted(own.map(({ cpuVerdict }) => cpuVerdict ?? "none")));
  }
}

function counted(verdicts: readonly string[]): string {
  const groups = Map.groupBy(verdicts, (verdict) => verdict);
  return [...groups].map(([verdict, all]) => `${verdict} ${all.length}`).join(", ");
}
