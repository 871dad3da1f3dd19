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
import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { isAlive, ownFolder } from "@evenbench/host";
import { RunError } from "./options.ts";

/** A mark that is gone is not made again, and nothing is written through a link. */
const ADD = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

const PID = /^\d+$/;

/** Runs of this process: they share its mark, and the last one takes it away. */
let ownRuns = 0;

/** This process's mark, and what it says of others. */
export interface MeasuringLock {
  /**
   * Pids of other processes that measure on this machine and were not given before: at first those that were
   * there, then those that came since, even if they are gone again.
   */
  newOthers(): readonly number[];
  release(): void;
}

/**
 * Marks this process as measuring on this machine, whichever results folder it writes. Each such process of
 * this user has a file, named by its pid, into which those that come later write theirs.
 * Nobody is kept out: two runs on one machine disturb one another, but lose nothing. Marks of processes that
 * are gone are removed.
 *
 * @throws {RunError} when the mark cannot be written; {HostError} when there is no folder for it.
 */
export function markMeasuring(): MeasuringLock {
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
  return {
    newOthers() {
      const others = [...there, ...arrivals(mark)].filter((pid) => !given.has(pid));
      for (const pid of others) given.add(pid);
      return [...new Set(others)];
    },
    release() {
      process.off("exit", removeMark);
      ownRuns -= 1;
      if (ownRuns === 0) removeMark();
    },
  };
}

/** What a run says of another one. */
export function describeOther(pid: number): string {
  return `Another run (pid ${pid}) is measuring on this machine: expect more scatter.`;
}

function makeMark(mark: string): void {
  rmSync(mark, { force: true });
  writeFileSync(mark, "", { flag: "wx" });
}

/** Tells those that measure already that there is one more. @returns their pids. */
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

/** Pids of those that came after this process. */
function arrivals(mark: string): number[] {
  // Whoever tidies the folder for temporary files up takes it away.
  const lines = existsSync(mark) ? readFileSync(mark, "utf8").split("\n") : [];
  return lines
    .filter((line) => line !== "")
    .map(Number)
    .filter(Number.isInteger);
}

/** Others may end meanwhile: then there is nothing to tell them, or to tidy up. */
function tryTo(work: () => void): void {
  try {
    work();
  } catch {}
}
