import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { coresAllowed, countCores } from "./cores.ts";
import { readSystemFile } from "./system-file.ts";

// The limits that Linux sets a process and its children. Other systems have no such limits, and give null.
// Sources: https://docs.kernel.org/admin-guide/cgroup-v2.html and
// https://docs.kernel.org/scheduler/sched-bwc.html (version 1).

/** The parts of its machine that this process may use. */
export interface ProcessLimits {
  /** Cores that it may run on, by its CPU affinity: taskset, or the cpuset of a container. */
  readonly usableCores: number;
  /** The number of cores whose time it may use, such as 0.3 or 1.5; null without a limit. */
  readonly coreQuota: number | null;
  /** Bytes of memory that it may use; null without a limit. */
  readonly memoryBytes: number | null;
}

/** The account of a limit on CPU time that stops processes, since its control group exists. */
export interface Throttling {
  /** Number of periods in which they ran. */
  readonly periods: number;
  /** Number of these periods in which they were stopped. */
  readonly throttled: number;
  /** Milliseconds for which they were stopped. */
  readonly throttledMs: number;
}

/** Reads the limits of this process. @param root the folder of `/proc` and `/sys`, for tests. */
export function processLimits(root = "/"): ProcessLimits {
  const quotas = folders(root, "cpu").flatMap((folder) => quotaIn(folder) ?? []);
  const memories = folders(root, "memory").flatMap((folder) => memoryIn(folder) ?? []);
  return {
    usableCores: usableCores(readSystemFile(join(root, "proc/self/status"))),
    coreQuota: quotas.length === 0 ? null : Math.min(...quotas),
    memoryBytes: memories.length === 0 ? null : Math.min(...memories),
  };
}

/**
 * Reads the account of the limit on CPU time that this process is under.
 *
 * @param root the folder of `/proc` and `/sys`, for tests.
 * @returns null where there is no limit, or no account of it.
 */
export function readThrottling(root = "/"): Throttling | null {
  const limited = folders(root, "cpu").find((folder) => quotaIn(folder) !== null);
  return limited === undefined ? null : parseThrottling(readSystemFile(join(limited, "cpu.stat")));
}

/** Gives the throttling between two readings; null where one of them is missing, or nobody was stopped. */
export function throttledBetween(before: Throttling | null, after: Throttling | null): Throttling | null {
  if (before === null || after === null || after.throttled <= before.throttled) {
    return null;
  }
  return {
    periods: after.periods - before.periods,
    throttled: after.throttled - before.throttled,
    throttledMs: after.throttledMs - before.throttledMs,
  };
}

/** Counts the cores of this process's CPU affinity. @param status the text of /proc/self/status. */
function usableCores(status: string): number {
  const allowed = coresAllowed(status).length;
  // The list may name cores that the machine could have, and has not.
  return allowed === 0 ? availableParallelism() : Math.min(allowed, countCores());
}

/** Reads the quota of a group: version 2 has a limit and its period in one file, version 1 in one file each. */
function quotaIn(folder: string): number | null {
  const version2 = parseQuota(readSystemFile(join(folder, "cpu.max")));
  if (version2 !== null) {
    return version2;
  }
  const version1 = ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map((file) =>
    readSystemFile(join(folder, file)).trim(),
  );
  return parseQuota(version1.join(" "));
}

/** Reads a quota in cores: "30000 100000" is 0.3; "max 100000" and "-1 100000" are no limit, and null. */
function parseQuota(text: string): number | null {
  const [quota = Number.NaN, period = Number.NaN] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : null;
}

/** Reads the memory limit of a group. Version 1 writes a number beyond all memory where there is no limit. */
function memoryIn(folder: string): number | null {
  const text =
    readSystemFile(join(folder, "memory.max")) || readSystemFile(join(folder, "memory.limit_in_bytes"));
  const bytes = text === "" ? Number.NaN : Number(text);
  return bytes > 0 && bytes < totalmem() ? bytes : null;
}

/** Reads cpu.stat: version 2 has microseconds, version 1 nanoseconds. null where it counts no periods. */
function parseThrottling(text: string): Throttling | null {
  const numberAfter = (name: string) => {
    const value = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };
  const periods = numberAfter("nr_periods");
  const throttled = numberAfter("nr_throttled");
  if (periods === null || throttled === null) {
    return null;
  }
  const microseconds = numberAfter("throttled_usec");
  const nanoseconds = numberAfter("throttled_time") ?? 0;
  const throttledMs = microseconds === null ? nanoseconds / 1e6 : microseconds / 1e3;
  return { periods, throttled, throttledMs };
}

/** A mounted hierarchy of control groups. */
interface CgroupMount {
  /** The group that is seen at `point`: a container sees its own at the top. */
  readonly root: string;
  /** Absolute path at which it is mounted. */
  readonly point: string;
  /**
   * The resources that the hierarchy controls, such as "cpu"; null in version 2, where one hierarchy controls
   * all.
   */
  readonly controllers: readonly string[] | null;
}

/** Lists the folders of this process's group and of those above it, from the nearest on: all of their limits hold. */
function folders(root: string, controller: "cpu" | "memory"): readonly string[] {
  const groups = parseGroups(readSystemFile(join(root, "proc/self/cgroup")));
  const mounts = parseMounts(readSystemFile(join(root, "proc/self/mountinfo")));
  return mounts.flatMap((mount) => {
    const { controllers } = mount;
    if (controllers !== null && !controllers.includes(controller)) {
      return [];
    }
    const group = groups.find((each) =>
      controllers === null ? each.controllers.length === 0 : each.controllers.includes(controller),
    );
    return group === undefined ? [] : foldersFrom(join(root, mount.point), pathBelow(mount.root, group.path));
  });
}

/** Reads the groups of a process: "4:memory:/a" or, in version 2, "0::/a". */
function parseGroups(
  text: string,
): readonly { readonly controllers: readonly string[]; readonly path: string }[] {
  return text.split("\n").flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (names === undefined || path === undefined) {
      return [];
    }
    return [{ controllers: names === "" ? [] : names.split(","), path }];
  });
}

/** Reads proc_pid_mountinfo(5): "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu". */
function parseMounts(text: string): readonly CgroupMount[] {
  return text.split("\n").flatMap((line): readonly CgroupMount[] => {
    const [place = "", system = ""] = line.split(" - ");
    const [, , , root, point] = place.split(" ");
    const [type, , options = ""] = system.split(" ");
    if (root === undefined || point === undefined) {
      return [];
    }
    if (type === "cgroup2") {
      return [{ root, point, controllers: null }];
    }
    return type === "cgroup" ? [{ root, point, controllers: options.split(",") }] : [];
  });
}

/**
 * Gives the names of the folders from a mount down to a group. A group that is not below what is mounted cannot be
 * seen: then there are none, and the top of the mount is the nearest.
 */
function pathBelow(root: string, path: string): readonly string[] {
  const parts = path.split("/").filter(Boolean);
  const above = root.split("/").filter(Boolean);
  const isBelow = !parts.includes("..") && above.every((part, index) => parts[index] === part);
  return isBelow ? parts.slice(above.length) : [];
}

function foldersFrom(top: string, parts: readonly string[]): readonly string[] {
  return Array.from({ length: parts.length + 1 }, (_, above) =>
    join(top, ...parts.slice(0, parts.length - above)),
  );
}
