import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { START_FIELD, sendSignal, statFields } from "./process-tree.ts";

// Imported by supervisors: it imports little, so that they start soon.

/** The variable that marks a command: all processes that it starts inherit it, wherever they go. */
export const MARK_VARIABLE = "EVENBENCH_COMMAND";

/**
 * The marks by which a command's processes are known, also those that left its process tree and its process
 * group.
 */
export interface CommandTrace {
  /** The value of `MARK_VARIABLE`, of this start of the command alone. */
  readonly mark: string;
  /** The port that it was given. */
  readonly port: number;
}

/** A process of this user. */
interface FoundProcess {
  readonly pid: number;
  /** The id of its parent. */
  readonly parent: number;
  /** The id of its process group. */
  readonly group: number;
  /** Clock ticks since the machine started. */
  readonly startTicks: number;
  /** "\0NAME=value" of every variable that it was started with. */
  readonly environment: string;
}

/** Gives the clock ticks from the machine's start to a process's; Infinity where the system does not say it. */
export function startTicksOf(pid: number): number {
  try {
    return Number(statFields(pid)[START_FIELD]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Lists the user's processes that belong to a command and still run: those with its mark; of those that began after it,
 * those of its group, and those that listen on its port and lost their mark (nginx overwrites its environment), if they
 * were adopted, as whatever leaves the foreground is. None where the system has no /proc.
 *
 * @param leader the process that the command was started as, which is the head of its group.
 * @param startTicks the start of the command, as `startTicksOf` gives it.
 */
export function findLeftBehind(leader: number, startTicks: number, { mark, port }: CommandTrace): number[] {
  const own = ownProcesses();
  const later = own.filter((process) => process.startTicks >= startTicks);
  const isMarked = ({ environment }: FoundProcess): boolean =>
    `${environment}\0`.includes(`\0${MARK_VARIABLE}=${mark}\0`);
  const inGroup = later.filter(({ group }) => group === leader);
  const found = new Set([...own.filter(isMarked), ...inGroup].map(({ pid }) => pid));
  const sockets = listeningSockets(port);
  if (sockets.size > 0) {
    const listening = later.filter(
      (process) => !process.environment.includes(`\0${MARK_VARIABLE}=`) && hasSocket(process.pid, sockets),
    );
    for (const process of listening.filter(({ parent }) => isAdopter(parent))) {
      found.add(process.pid);
    }
    for (const process of listening.filter(({ parent }) => found.has(parent))) {
      found.add(process.pid);
    }
  }
  return [...found];
}

/** Ends the processes of a command that are left: these alone, by their ids. */
export function endLeftBehind(leader: number, startTicks: number, trace: CommandTrace): void {
  for (const pid of findLeftBehind(leader, startTicks, trace)) {
    sendSignal(pid, "SIGKILL");
  }
}

/** Lists this user's processes, without those that have ended and were not waited for, and without this one. */
function ownProcesses(): FoundProcess[] {
  const user = process.getuid?.();
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && ownerOf(pid) === user)
      .flatMap((pid) => findProcess(pid) ?? []);
  } catch {
    return [];
  }
}

function ownerOf(pid: number): number | null {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return null;
  }
}

/** Reads what /proc says of a process; null where it has ended. */
function findProcess(pid: number): FoundProcess | null {
  try {
    const fields = statFields(pid);
    if (fields[0] === "Z" || fields[0] === "X") {
      return null;
    }
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      startTicks: Number(fields[START_FIELD]),
      environment: `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`,
    };
  } catch {
    return null;
  }
}

/** Tells whether a process is the first of the system, or of the user's session: it adopts those whose parent ended. */
function isAdopter(pid: number): boolean {
  if (pid === 1) {
    return true;
  }
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim() === "systemd";
  } catch {
    return false;
  }
}

/** The state TCP_LISTEN in /proc/net/tcp. */
const LISTENING = "0A";

/** Names the sockets that listen on a port, as descriptors of processes do: "socket:[<inode>]". */
function listeningSockets(port: number): ReadonlySet<string> {
  const inPort = port.toString(16).toUpperCase().padStart(4, "0");
  const sockets = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const row of readTable(table)) {
      const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
      if (state === LISTENING && local.endsWith(`:${inPort}`)) {
        sockets.add(`socket:[${inode}]`);
      }
    }
  }
  return sockets;
}

function readTable(path: string): readonly string[] {
  try {
    return readFileSync(path, "latin1").split("\n");
  } catch {
    return [];
  }
}

function hasSocket(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
      } catch {
        // It was closed since the listing.
        return false;
      }
    });
  } catch {
    return false;
  }
}
