import type { RunMachine } from "@evenbench/results";
import { counted } from "./format.ts";

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
