import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import type { RunMachine } from "@evenbench/results";
import { HostError } from "./loopback.ts";
import type { HostCommand } from "./protocol.ts";
import { readSystemFile } from "./system-file.ts";

/** Milliseconds within which taskset has to end. */
const TASKSET_WITHIN_MS = 10_000;

/** The folder of Linux that has an entry for each thread of this process, the main thread first. */
const OWN_THREADS = "/proc/self/task";

/** A CPU list in the form of taskset: "0", "1-3", "1,3". */
const CPU_LIST = /^\d+(-\d+)?(,\d+(-\d+)?)*$/;

/** Counts the machine's cores. Where a container hides its account of them (/proc/stat), those that this process may use. */
export function countCores(): number {
  return Math.max(cpus().length, availableParallelism());
}

/**
 * Splits the cores of this process between the client and the servers: the client gets the first one, with
 * what shares its hardware. CPU lists are in the form of taskset ("0", "1-3", "1,3").
 *
 * @returns the CPU lists of both; null where there is one core only, or processes cannot be confined.
 */
export function splitCores(): RunMachine["coresApart"] {
  const allowed = allowedCores();
  const [first, ...others] = allowed;
  if (first === undefined || others.length === 0) {
    return null;
  }
  const siblings = parseCpuList(
    readSystemFile(`/sys/devices/system/cpu/cpu${first}/topology/thread_siblings_list`).trim(),
  );
  const apart = others.filter((cpu) => !siblings.includes(cpu));
  const servers = apart.length > 0 ? apart : others;
  return { client: allowed.filter((cpu) => !servers.includes(cpu)).join(","), servers: servers.join(",") };
}

/**
 * Chooses one core of a CPU list, or of this process's own cores where that is null.
 *
 * @returns its number as a CPU list; null where there is no choice.
 */
export function oneCore(cores: string | null): string | null {
  const allowed = cores === null ? allowedCores() : parseCpuList(cores);
  const isChoice = cores !== null || allowed.length > 1;
  return isChoice && allowed[0] !== undefined ? String(allowed[0]) : null;
}

/** Adds the cores of this process to a CPU list; null stays null. */
export function everyCore(cores: string | null): string | null {
  return cores === null ? null : [...new Set([...allowedCores(), ...parseCpuList(cores)])].join(",");
}

/** Lists the cores of this process; none where processes cannot be confined to some of them. */
function allowedCores(): number[] {
  if (
    process.platform !== "linux" ||
    spawnSync("taskset", ["--version"], { timeout: TASKSET_WITHIN_MS }).status !== 0
  ) {
    return [];
  }
  return coresAllowed(readSystemFile("/proc/self/status"));
}

/** Lists the cores of a process's CPU affinity. @param status the text of its /proc/…/status. */
export function coresAllowed(status: string): number[] {
  return parseCpuList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "");
}

/**
 * Confines this process, with all its threads, to a CPU list. A thread that begins later has the cores of the thread
 * that began it; the main thread is confined first.
 *
 * @throws if a thread of this process cannot be confined, which a container may forbid.
 */
export function confineThisProcess(cores: string): void {
  const list = checked(cores);
  // Not `taskset --all-tasks`: it fails as a whole where one thread ends after it has listed them.
  for (const thread of readdirSync(OWN_THREADS)) {
    try {
      confineThread(thread, list);
    } catch (error) {
      const isOver = !existsSync(`${OWN_THREADS}/${thread}`);
      if (!isOver) {
        throw error;
      }
    }
  }
}

/** Confines one thread to a CPU list. @throws if taskset cannot do that. */
function confineThread(thread: string, list: string): void {
  execFileSync("taskset", ["--cpu-list", "--pid", list, thread], {
    stdio: "ignore",
    timeout: TASKSET_WITHIN_MS,
  });
}

/** Puts a command under taskset, which replaces itself by it: the pid stays that of the server. null: all cores. */
export function confinedCommand(command: HostCommand, cores: string | null): HostCommand {
  if (cores === null) {
    return command;
  }
  return { ...command, file: "taskset", args: ["--cpu-list", checked(cores), command.file, ...command.args] };
}

/** Reads a CPU list: "0-2,4" as [0, 1, 2, 4]; what is no such list gives []. */
function parseCpuList(list: string): number[] {
  if (!CPU_LIST.test(list)) {
    return [];
  }
  return list.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  });
}

/** Gives a CPU list back as it is. @throws {HostError} for what is no CPU list. */
function checked(cores: string): string {
  if (CPU_LIST.test(cores)) {
    return cores;
  }
  throw new HostError(`"${cores}" is no CPU list. Write it as taskset takes it: "1", "1-3" or "1,3".`);
}
