import { cpus, release, totalmem, type } from "node:os";
import type { RunMachine } from "@evenbench/core";
import { accountant, type CoreSplit, confineThisProcess, splitCores } from "@evenbench/host";

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

/** Keeps this process and the servers on cores of their own while it lasts, where the system allows. */
export interface CoresApart {
  readonly split: CoreSplit | null;
  /** Gives this process all its cores back. */
  restore(): void;
}

export function keepCoresApart(): CoresApart {
  const split = splitCores();
  if (split === null) return { split: null, restore: () => {} };
  try {
    confineThisProcess(split.client);
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return { split: null, restore: () => {} };
  }
  return { split, restore: () => confineThisProcess(`${split.client},${split.servers}`) };
}
