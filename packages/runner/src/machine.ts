import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { messageOf } from "@evenbench/core";
import { accountant, confineThisProcess, isAlive, ownFolder, splitCores } from "@evenbench/host";
import type { RunMachine, RunPlan } from "@evenbench/results";
import { RunError } from "./options.ts";

function describeMachine(coresApart: RunMachine["coresApart"]): RunMachine {
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

function keepCoresApart(): RunMachine["coresApart"] {
  const split = splitCores();
  try {
    if (split !== null) confineThisProcess(split.client);
    return split;
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return null;
  }
}

let ownRuns = 0;

/**
 * Each measuring process of this user has a file of its pid in one folder. Nobody is kept out: two runs disturb one
 * another, but lose nothing. @throws {RunError} when it cannot be written.
 */
export function claimMachine(serverCores: RunPlan["serverCores"] = "all") {
  const folder = ownFolder("measuring");
  const ownPid = String(process.pid);
  const mark = join(folder, ownPid);
  try {
    writeFileSync(mark, "");
  } catch (error) {
    const why = messageOf(error);
    throw new RunError(
      `${folder} cannot be written (${why}). Remove it, or set XDG_CACHE_HOME to another folder.`,
    );
  }
  ownRuns += 1;
  const given = new Set<string>();
  const cores = serverCores === "apart" ? keepCoresApart() : null;
  return {
    machine: describeMachine(cores),
    cores,
    /** Other processes that measure here: each is told once. */
    newOthers(): readonly string[] {
      // Whoever tidies the folder up may take it away.
      const files = existsSync(folder) ? readdirSync(folder) : [];
      return files.flatMap((pid) => {
        if (pid === ownPid || given.has(pid)) return [];
        if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) {
          // Of a process that was killed.
          rmSync(join(folder, pid), { force: true });
          return [];
        }
        given.add(pid);
        return [`Another run (pid ${pid}) is measuring on this machine: expect more variation.`];
      });
    },
    [Symbol.dispose]() {
      ownRuns -= 1;
      if (ownRuns === 0) rmSync(mark, { force: true });
      if (cores !== null) confineThisProcess(`${cores.client},${cores.servers}`);
    },
  };
}

/** The histogram's timer is late by this much when the loop is not late at all. */
const RESOLUTION_MS = 10;

export function watchClient() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const [wallStart, cpuStart] = [performance.now(), process.cpuUsage()];
  return {
    read() {
      delay.disable();
      const { user, system } = process.cpuUsage(cpuStart);
      return { wallMs: performance.now() - wallStart, cpuMs: (user + system) / 1000 };
    },
    /** Milliseconds. @param percentile of the checks of its event loop. */
    late(percentile: number): number {
      return delay.count === 0 ? 0 : Math.max(0, delay.percentile(percentile) / 1e6 - RESOLUTION_MS);
    },
  };
}
