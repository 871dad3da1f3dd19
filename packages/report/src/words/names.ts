// Names of places, machines and versions, from the fields of facts.
import { counted, listed } from "@evenbench/page";
import type { Facts, MachineFacts } from "../facts/facts.ts";

/** Names a machine's processor and cores: "AMD EPYC, 2 cores", "AMD EPYC, 0.3 of 2 cores". */
export function machineWords({ processor, cores, usableCores }: MachineFacts): string {
  const usable = usableCores < cores ? `${usableCores} of ` : "";
  return `${processor}, ${usable}${counted(cores, "core")}`;
}

/** What a local run of platforms does not have. */
const NOT_THE_PLATFORMS = "not the platforms' own hardware or networks";

/** Says where a run was measured: "one machine (AMD EPYC, 2 cores), not the platforms' own hardware or networks". */
export function placeWords({ run, targets, levels }: Facts): string {
  if (run.from === "places") {
    const places = [...new Set(levels.flatMap(({ place }) => place ?? []))];
    return places.length === 0 ? "several places" : `places ${listed(places)}`;
  }
  const machines = run.machine === null ? run.parts.flatMap(({ machine }) => machine ?? []) : [run.machine];
  const named = [...new Set(machines.map(machineWords))];
  const where = named.length === 1 ? `one machine (${named[0]})` : `machines (${named.join("; ")})`;
  if (run.from === "network") {
    return `over the network from ${where}`;
  }
  return targets.some(({ platform }) => platform !== null) ? `${where}, ${NOT_THE_PLATFORMS}` : where;
}

/** Lists the versions of what ran, each once: "Node.js 26.12.1, workerd 1.20261117.1". */
export function versionWords({ targets }: Facts): string {
  return [...new Set(targets.flatMap(({ runtime }) => runtime ?? []))].join(", ");
}

/** Writes the day of a run: "2026-11-29". */
export function dayOf({ run }: Facts): string {
  return run.startedAt.slice(0, 10);
}

/** Says how often each server was started afresh: "3 fresh starts each", "2 to 5 fresh starts each". */
export function trialWords({ run }: Facts): string {
  const { fewest, most } = run.trials;
  return fewest === most
    ? `${counted(most, "fresh start")} each`
    : `${fewest} to ${counted(most, "fresh start")} each`;
}

/** Says that verdicts were judged without samples; null where there were samples. */
export function judgedWords({ run }: Facts): string | null {
  return run.judgedFrom === "ends" ? "judged by its intervals, without samples" : null;
}

/** Writes a text with its first letter as a capital one. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
