import { join } from "node:path";
import { type Finding, measurePairs } from "@evenbench/cli/against";
import type { LocalTarget } from "@evenbench/runner";
import { buildSlowed } from "./measure-pool.ts";
import { inWords, row } from "./print.ts";

const SLOWED = "trig";
const UNTOUCHED = "json-reviver";
const SLOWDOWN = 0.05;

interface AgainstOptions {
  readonly runs: number;
  /** For each case; null: until it is decided. */
  readonly timeMs: number | null;
  /** Takes builds and runs. */
  readonly folder: string;
}

/** What `evenbench against` says of a commit that changes nothing, and of one that makes one case 5 % slower. */
export async function against(node: LocalTarget, { runs, timeMs, folder }: AgainstOptions): Promise<void> {
  const built = (name: string, slowdown: number) =>
    buildSlowed({ [SLOWED]: slowdown, [UNTOUCHED]: 0 }, join(folder, name));
  const base = await built("base", 0);
  const heads = {
    "nothing changed": await built("same", 0),
    "5 % slower": await built("slower", SLOWDOWN),
  };
  const found = new Map<string, readonly Finding[]>();
  const manifests = await node.app.cases();
  const isAsked = ({ id }: { readonly id: string }) => id === SLOWED || id === UNTOUCHED;
  const findingsOf = async (head: string, time: number | null) => {
    const pair = {
      name: node.name,
      base: { ...node, name: "base", deployable: base },
      head: { ...node, name: "head", deployable: head },
      cases: manifests.filter(isAsked),
    };
    const { findings } = await measurePairs([pair], {
      out: join(folder, "runs"),
      otherIds: manifests.filter((one) => !isAsked(one)).map(({ id }) => id),
      signal: new AbortController().signal,
      ...(time !== null && { time }),
    });
    return findings;
  };
  // A short time would cut off the search for what instances need to be warm; what a first run of each finds is
  // kept for the others.
  for (const head of Object.values(heads)) await findingsOf(head, null);
  for (let index = 0; index < runs; index++) {
    for (const [name, head] of Object.entries(heads)) {
      const findings = await findingsOf(head, timeMs);
      found.set(name, [...(found.get(name) ?? []), ...findings]);
      const said = findings.map(
        ({ caseId, verdict, ratio, cpuVerdict, cpuRatio }) =>
          `${caseId} time ${verdict} ${inWords(ratio)}, CPU ${cpuVerdict} ${inWords(cpuRatio)}`,
      );
      console.log(`${index + 1}/${runs} ${name}: ${said.join("; ")}`);
    }
  }
  for (const [name, findings] of found)
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
