import type { Exchange, Position } from "@evenbench/probe";
import type { Instance } from "./instance.ts";
import type { Subject } from "./targets.ts";

/** A subject with the instance that stands for it now. */
export interface RunningPosition extends Position {
  probe: Instance["probe"];
  readonly subject: Subject;
  instance: Instance;
  instanceId: string | null;
  restarted: boolean;
  /** Exchanges in the measure phase. */
  measured: number;
  /**
   * What each warm-up exchange of this instance cost: CPU time, or the time to its last byte where that is
   * not reported. Milliseconds.
   */
  costs: number[];
  /** Time to the last byte of each of them, in milliseconds. */
  times: number[];
  /** What each measured exchange cost, by round. */
  costByRound: Map<number, number>;
}

/** What is known of an instance that has not served it yet. */
export function nothingYet(): Pick<RunningPosition, "costs" | "times" | "costByRound"> {
  return { costs: [], times: [], costByRound: new Map() };
}

/** What one exchange cost, in milliseconds; null where it failed. */
export function costOf({ cost, error, lastByteMs }: Exchange): number | null {
  return error === null ? (cost?.cpuMs ?? lastByteMs) : null;
}
