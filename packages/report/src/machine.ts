// The machine that measured, in words.
import { counted, type Definitions } from "@evenbench/page";
import type { RunMachine } from "@evenbench/results";

/** The part of a machine's record that says how many cores it has. */
type Cores = Pick<RunMachine, "cores" | "limits">;
/** The part of a machine's record that names its processor. */
type Processor = Cores & Pick<RunMachine, "cpuModel">;

/**
 * Writes a number of cores: "2 cores", or what of them could be used: "1 of 2 cores (CPU affinity)", "0.3 of a core
 * (limit of the container)".
 */
export function coresWords({ cores, limits }: Cores, noun = "core"): string {
  const usable = Math.min(cores, limits?.usableCores ?? cores);
  const quota = limits?.coreQuota ?? null;
  if (quota !== null && quota < usable) {
    const of = quota < 1 ? `a ${noun}` : counted(cores, noun);
    return `${Number(quota.toPrecision(2))} of ${of} (limit of the container)`;
  }
  return usable < cores ? `${usable} of ${counted(cores, noun)} (CPU affinity)` : counted(cores, noun);
}

/** Names a machine's processor and cores: "Intel Xeon, 2 cores". */
export function processorOf(machine: Processor): string {
  return `${processorName(machine)}, ${coresWords(machine)}`;
}

/**
 * A processor's name without its maker's signs and words: "Intel Xeon 2.50GHz" of "Intel(R) Xeon(R) Processor @
 * 2.50GHz".
 */
export function processorName({ cpuModel }: Pick<Processor, "cpuModel">): string {
  return cpuModel
    .replace(/\((?:R|TM)\)/g, "")
    .replace(/ (?:CPU|Processor)\b/g, "")
    .replace(" @ ", " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Says how the cores were divided between client and servers. */
export function coreDivision({ coresApart: apart }: Pick<RunMachine, "coresApart">): string {
  return apart === null ? "shared by client and servers" : `client ${apart.client}, servers ${apart.servers}`;
}

/** Names a machine in one line: processor, cores and system. */
export function machineLine(machine: Processor & Pick<RunMachine, "system">): string {
  return `${processorOf(machine)}, ${machine.system}`;
}

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
