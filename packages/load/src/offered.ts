// Loads that are offered, as facts have them.
import type { Load } from "@evenbench/report";
import type { OfferedLoad } from "@evenbench/results";

/** Gives what was offered, as facts have it. */
export function loadOf(load: OfferedLoad): Load {
  return load.kind === "closed"
    ? { kind: "concurrency", value: load.connections, condition: null }
    : { kind: "rate", value: load.perSecond, condition: null };
}

/** Gives the amount of a load: its requests at a time, or a second. */
export function offeredBy(load: OfferedLoad): number {
  return loadOf(load).value ?? 0;
}
