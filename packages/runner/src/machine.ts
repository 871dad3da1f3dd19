import { cpus, release, totalmem, type } from "node:os";
import { accountant, type CoreSplit, confineThisProcess, splitCores } from "@evenbench/host";
import type { RunMachine } from "@evenbench/results";

/** The machine as `run.json` has it. */
export function describeMachine(coresApart: CoreSplit | null): RunMachine {
  return {
    system: `${type()} ${release()} ${process.arch}`,
    cpuModel: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    clientNode: process.version,
    coresApart,
    cpuAccount: { source: accountant.source, resolutionMs: accountant.resolutionMs },
  };
}

/** Client and servers on all cores. */
const SHARED_CORES: CoresApart = { split: null, restore: () => {} };

/** Keeps this process and the servers on cores of their own while it lasts, where the system allows. */
export interface CoresApart {
  readonly split: CoreSplit | null;
  /** Gives this process all its cores back. */
  restore(): void;
}

/** @param wanted false leaves all cores to all. */
export function keepCoresApart(wanted: boolean): CoresApart {
  const split = wanted ? splitCores() : null;
  if (split === null) return SHARED_CORES;
  try {
    confineThisProcess(split.client);
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return SHARED_CORES;
  }
  return { split, restore: () => confineThisProcess(`${split.client},${split.servers}`) };
}
