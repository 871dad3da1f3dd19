// Names of places, machines and versions, from the fields of facts.
import { counted, formatDuration, listed } from "@evenbench/page";
import type { Facts, MachineFacts } from "../facts/facts.ts";

/** Names a machine's processor and cores: "AMD EPYC, 2 cores", "AMD EPYC, 0.3 of 2 cores". */
export function machineWords({ processor, cores, usableCores }: MachineFacts): string {
  const usable = usableCores < cores ? `${usableCores} of ` : "";
  return `${processor}, ${usable}${counted(cores, "core")}`;
}

/** What a local run of platforms does not have. */
const NOT_THE_PLATFORMS = "not the platforms' own hardware or networks";

/**
 * Says where a run was measured: "one machine (AMD EPYC, 2 cores), not the platforms' own hardware or networks"; empty
 * where nothing was measured, so that no machine is known.
 */
export function placeWords({ run, targets, levels }: Facts): string {
  if (run.from === "places") {
    const places = [...new Set(levels.flatMap(({ place }) => place ?? []))];
    return places.length === 0 ? "several places" : `places ${listed(places)}`;
  }
  const machines = run.machine === null ? run.parts.flatMap(({ machine }) => machine ?? []) : [run.machine];
  const named = [...new Set(machines.map(machineWords))];
  if (named.length === 0) {
    return "";
  }
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

/** Says how often each server was started afresh: "3 fresh starts each", "2 to 5 fresh starts each"; empty where none was. */
export function trialWords({ run }: Facts): string {
  const { fewest, most } = run.trials;
  if (most === 0) {
    return "";
  }
  return fewest === most
    ? `${counted(most, "fresh start")} each`
    : `${fewest} to ${counted(most, "fresh start")} each`;
}

/** Says that verdicts were judged without samples; empty where there were samples. */
function judgedWords({ run }: Facts): string {
  return run.judgedFrom === "ends" ? "judged by its intervals, without samples" : "";
}

/**
 * Says how often and how long it was measured, where, and by what it was judged, in two sentences.
 *
 * @param further parts of the second one. Default: none.
 */
export function sourceWords(facts: Facts, further: readonly string[] = []): string {
  const { tookMs } = facts.run;
  const took = tookMs === null ? "" : formatDuration(tookMs);
  return `${sentence([trialWords(facts), took], ", ")} ${placeSentence(facts, further)}`.trim();
}

/** Says where it was measured, and by what it was judged. @param further parts of the sentence. Default: none. */
export function placeSentence(facts: Facts, further: readonly string[] = []): string {
  return sentence([placeWords(facts), judgedWords(facts), ...further], "; ");
}

/** Joins those parts to a sentence that say something; empty where none does. */
export function sentence(parts: readonly string[], separator: string): string {
  const said = parts.filter((part) => part !== "").join(separator);
  return said === "" ? "" : `${capitalised(said)}.`;
}

/** Writes a text with its first letter as a capital one. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
