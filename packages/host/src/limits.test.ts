import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { folderOfEachTest, writeFiles } from "../test/folder.ts";
import { processLimits, readThrottling, throttledBetween } from "./limits.ts";

let root: string;
folderOfEachTest((folder) => {
  root = folder;
});

const STATUS = "Name:\tnode\nCpus_allowed:\t1\nCpus_allowed_list:\t0\nMems_allowed_list:\t0\n";
const HALF = Math.floor(totalmem() / 2);

/** A container of Docker on a system with version 2. */
const VERSION_2 = {
  "proc/self/status": STATUS,
  "proc/self/cgroup": "0::/\n",
  "proc/self/mountinfo":
    "737 736 0:30 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate\n",
  "sys/fs/cgroup/cpu.max": "30000 100000\n",
  "sys/fs/cgroup/memory.max": `${HALF}\n`,
  "sys/fs/cgroup/cpu.stat":
    "usage_usec 90\nuser_usec 60\nsystem_usec 30\nnr_periods 830\nnr_throttled 722\nthrottled_usec 54000000\n",
};

/** The same with version 1, from within the host's name space: the mount's root is the container's group. */
const VERSION_1 = {
  "proc/self/status": STATUS,
  "proc/self/cgroup": "4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab\n1:name=systemd:/docker/ab\n0::/\n",
  "proc/self/mountinfo": [
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755",
    "32 31 0:29 /docker/ab /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct",
    "35 31 0:32 /docker/ab /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
  ].join("\n"),
  "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "30000\n",
  "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
  "sys/fs/cgroup/cpu,cpuacct/cpu.stat": "nr_periods 830\nnr_throttled 722\nthrottled_time 54000000000\n",
  "sys/fs/cgroup/memory/memory.limit_in_bytes": `${HALF}\n`,
};

test.each([
  ["version 2", VERSION_2],
  ["version 1", VERSION_1],
])("the limits of a container are found by control groups of %s", (_, files) => {
  writeFiles(root, files);
  expect(processLimits(root)).toEqual({ usableCores: 1, coreQuota: 0.3, memoryBytes: HALF });
  expect(readThrottling(root)).toEqual({ periods: 830, throttled: 722, throttledMs: 54_000 });
});

test.each([
  ["version 2", VERSION_2, { "sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/memory.max": "max\n" }],
  [
    "version 1",
    VERSION_1,
    {
      "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    },
  ],
])("where %s has no limit there is none, and nobody is stopped", (_, files, without) => {
  writeFiles(root, { ...files, ...without });
  expect(processLimits(root)).toEqual({ usableCores: 1, coreQuota: null, memoryBytes: null });
  expect(readThrottling(root)).toBeNull();
});

test("the least limit of the groups above holds, and the account is the nearest limited one's", () => {
  writeFiles(root, {
    ...VERSION_2,
    "proc/self/cgroup": "0::/ci.slice/job/step\n",
    "sys/fs/cgroup/cpu.max": "max 100000\n",
    "sys/fs/cgroup/ci.slice/cpu.max": "50000 100000\n",
    "sys/fs/cgroup/ci.slice/job/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/ci.slice/job/cpu.stat": "nr_periods 9\nnr_throttled 3\nthrottled_usec 2000\n",
  });
  expect(processLimits(root)).toMatchObject({ coreQuota: 0.5 });
  expect(readThrottling(root)).toEqual({ periods: 9, throttled: 3, throttledMs: 2 });
});

test("a group that cannot be seen from here has the limits of the mount's top", () => {
  writeFiles(root, { ...VERSION_2, "proc/self/cgroup": "0::/../../system.slice\n" });
  expect(processLimits(root)).toMatchObject({ coreQuota: 0.3 });
});

test("a system without these files has no limits", () => {
  expect(processLimits(root)).toMatchObject({ coreQuota: null, memoryBytes: null });
  expect(processLimits(root).usableCores).toBeGreaterThan(0);
  expect(readThrottling(root)).toBeNull();
});

test("what was stopped between two readings is told, and nothing where nothing was", () => {
  const before = { periods: 100, throttled: 5, throttledMs: 40 };
  const after = { periods: 930, throttled: 727, throttledMs: 54_040 };
  expect(throttledBetween(before, after)).toEqual({ periods: 830, throttled: 722, throttledMs: 54_000 });
  expect(throttledBetween(after, { ...after, periods: 2000 })).toBeNull();
  expect(throttledBetween(null, after)).toBeNull();
});
