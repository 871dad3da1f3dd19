import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { messageOf } from "@evenbench/core";
import {
  accountant,
  type CoreSplit,
  confineThisProcess,
  isAlive,
  ownFolder,
  splitCores,
} from "@evenbench/host";
import type { RunMachine, RunPlan } from "@evenbench/results";
import { RunError } from "./options.ts";

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

function keepCoresApart(): CoreSplit | null {
  const split = splitCores();
  try {
    if (split !== null) confineThisProcess(split.client);
    return split;
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return null;
  }
}

export interface ClaimedMachine extends Disposable {
  readonly machine: RunMachine;
  readonly cores: CoreSplit | null;
  /** That measure here: each is told once, even if it is gone again. */
  newOthers(): readonly string[];
}

/** A mark that is gone is not made again, and nothing is written through a link. */
const ADD = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

const PID = /^\d+$/;

let ownRuns = 0;

/**
 * Each measuring process of this user has a file named by its pid, into which later ones write theirs. Nobody is kept
 * out: two runs disturb one another, but lose nothing. @throws {RunError} when the marks cannot be written.
 */
export function claimMachine(serverCores: RunPlan["serverCores"] = "all"): ClaimedMachine {
  const folder = ownFolder("measuring");
  const mark = join(folder, String(process.pid));
  try {
    if (ownRuns === 0) makeMark(mark);
  } catch (error) {
    const why = messageOf(error);
    throw new RunError(
      `${folder} cannot be written (${why}). Remove it, or set XDG_CACHE_HOME to another folder.`,
    );
  }
  ownRuns += 1;
  const removeMark = () => rmSync(mark, { force: true });
  // Whoever asks twice for the end gets it without a release.
  process.once("exit", removeMark);
  const there = meetOthers(folder);
  // Those that came and went before this measurement, during an earlier one of this process, are none of its concern.
  const given = new Set(arrivals(mark).filter((pid) => !there.includes(pid)));
  const cores = serverCores === "apart" ? keepCoresApart() : null;
  return {
    machine: describeMachine(cores),
    cores,
    newOthers() {
      const others = new Set([...there, ...arrivals(mark)].filter((pid) => !given.has(pid)));
      for (const pid of others) given.add(pid);
      return [...others].map(
        (pid) => `Another run (pid ${pid}) is measuring on this machine: expect more variation.`,
      );
    },
    [Symbol.dispose]() {
      process.off("exit", removeMark);
      ownRuns -= 1;
      if (ownRuns === 0) removeMark();
      if (cores !== null) confineThisProcess(`${cores.client},${cores.servers}`);
    },
  };
}

function makeMark(mark: string): void {
  rmSync(mark, { force: true });
  writeFileSync(mark, "", { flag: "wx" });
}

function meetOthers(folder: string): number[] {
  const others: number[] = [];
  for (const name of readdirSync(folder)) {
    const pid = Number(name);
    if (!PID.test(name) || pid === process.pid) continue;
    const theirs = join(folder, name);
    if (isAlive(pid)) {
      others.push(pid);
      tryTo(() => announce(theirs));
    } else if (lstatSync(theirs, { throwIfNoEntry: false })?.isFile()) {
      tryTo(() => rmSync(theirs, { force: true }));
    }
  }
  return others;
}

function announce(mark: string): void {
  const file = openSync(mark, ADD);
  writeSync(file, `${process.pid}\n`);
  closeSync(file);
}

function arrivals(mark: string): number[] {
  // Whoever tidies the folder for temporary files up takes it away.
  const lines = existsSync(mark) ? readFileSync(mark, "utf8").split("\n") : [];
  return lines.filter((line) => PID.test(line)).map(Number);
}

/** Others may end meanwhile: then there is nothing to tell them, or to tidy up. */
function tryTo(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Of a core: where other programs take more than this, what was found meanwhile is not kept for later runs. */
const MOST_OTHER_WORK = 0.3;

/** Neither of this process nor of what is measured. */
export function watchOtherWork(): (ownMs: number) => boolean {
  const [startedAt, busyMs, client] = [performance.now(), busyTime(), process.cpuUsage()];
  return (ownMs) => {
    const { user, system } = process.cpuUsage(client);
    const otherMs = busyTime() - busyMs - (user + system) / 1000 - ownMs;
    return otherMs <= MOST_OTHER_WORK * (performance.now() - startedAt);
  };
}

function busyTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
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
