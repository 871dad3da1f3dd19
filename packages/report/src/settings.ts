import type { Definitions } from "@evenbench/page";
import type { RunMachine } from "@evenbench/results";
import { coreDivision, processorOf } from "./names.ts";

/** Describes the machine that measured, as names and values. */
export function machineEntries(machine: RunMachine): Definitions {
  return [
    ["System", machine.system],
    ["Processor", processorOf(machine)],
    ["Memory", memoryWords(machine)],
    ["Cores", coreDivision(machine)],
  ];
}

/** Writes a machine's memory, with the limit of a container. */
function memoryWords({ memoryBytes, limits }: RunMachine): string {
  const gibibytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  const limit = limits?.memoryBytes ?? null;
  const all = `${gibibytes(memoryBytes)} GiB`;
  return limit === null ? all : `${gibibytes(limit)} of ${all} (limit of the container)`;
}
