import type { RunMachine } from "@evenbench/results";
import { describeOther, markMeasuring } from "./lock.ts";
import { type CoresApart, describeMachine, keepCoresApart } from "./machine.ts";
import type { ServerCores } from "./options.ts";

/** This machine while this process measures on it. It ends with `using`. */
export interface ClaimedMachine extends Disposable {
  readonly machine: RunMachine;
  readonly cores: CoresApart;
  /** A sentence on each process that measures here, too, and was not named before. */
  newOthers(): readonly string[];
}

/**
 * Marks this process as measuring, and gives it cores of its own where that is asked for.
 *
 * @throws {RunError} when the marks cannot be written.
 */
export function claimMachine(serverCores: ServerCores = "all"): ClaimedMachine {
  const lock = markMeasuring();
  const cores = keepCoresApart(serverCores === "apart");
  return {
    machine: describeMachine(cores.split),
    cores,
    newOthers: () => lock.newOthers().map(describeOther),
    [Symbol.dispose]() {
      try {
        cores.restore();
      } finally {
        lock.release();
      }
    },
  };
}
