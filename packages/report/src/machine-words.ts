import type { Run, RunMachine } from "@evenbench/results";
import { counted, listed } from "./format.ts";
import { spokenNames } from "./work.ts";

type Processor = Pick<RunMachine, "cpuModel" | "cores">;

/** "AMD EPYC 9B14, 2 cores". */
export function processorOf({ cpuModel, cores }: Processor): string {
  return `${cpuModel}, ${counted(cores, "core")}`;
}

/** Who used which cores. */
export function coresOf({ coresApart: apart }: Pick<RunMachine, "coresApart">): string {
  return apart === null ? "shared by client and servers" : `client ${apart.client}, servers ${apart.servers}`;
}

/** A machine in one line. */
export function machineLine(machine: Processor & Pick<RunMachine, "system">): string {
  return `${processorOf(machine)}, ${machine.system}`;
}

/** Where a run was measured, as every headline, picture and card says it. */
export function placeOf({ plan, machine, vantages }: Pick<Run, "plan" | "machine" | "vantages">): string {
  if (machine === null) return `Measured from ${listed((vantages ?? []).map(({ name }) => name))}`;
  const at = plan.targets
    .filter(({ copyOf }) => copyOf === null)
    .map(({ place, about }) => ({ place, about }));
  if (at.some(({ place }) => place === "url"))
    return `Measured over the network from ${processorOf(machine)}`;
  const isPlatforms = at.some(({ about }) => about?.isHosted);
  const cores = counted(machine.cores, machine.coresApart === null ? "shared core" : "core");
  return `Local run${isPlatforms ? ", not the platforms' networks or hardware" : ""}: one machine, ${machine.cpuModel}, ${cores}`;
}

/** What ran, each with its runtime and V8: "Cloudflare's workerd 1.20261117.1 (V8 15.8)". */
export function whatRan({ plan, identities }: Pick<Run, "plan" | "identities">): string {
  const names = spokenNames(plan.targets);
  const told = plan.targets.flatMap(({ name, copyOf }) => {
    const facts = identities[name]?.facts;
    const spoken = names.get(name) ?? name;
    if (copyOf !== null || facts?.runtime == null) return [];
    const [, what, version] = /^(.+?) v?(\d\S*)/.exec(facts.runtime) ?? ["", facts.runtime, ""];
    const runtime = spoken.endsWith(what ?? "") ? version : `on ${what} ${version}`;
    const v8 = facts.v8?.split(".").slice(0, 2).join(".");
    return [`${spoken} ${runtime}${v8 === undefined ? "" : ` (V8 ${v8})`}`];
  });
  return [...new Set(told)].join(" · ");
}
