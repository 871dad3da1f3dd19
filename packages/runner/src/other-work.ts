import { cpus } from "node:os";

/** Of a core: where other programs take more than this, what was found meanwhile is not kept for later runs. */
const MOST_OTHER_WORK = 0.3;

/**
 * Watches from now on how much CPU time programs take that are neither this process nor what it measures.
 *
 * @returns tells whether that was little: `ownMs` is what the measured processes took meanwhile, in milliseconds.
 */
export function watchOtherWork(): (ownMs: number) => boolean {
  const [startedAt, busyMs, client] = [performance.now(), busyTime(), process.cpuUsage()];
  return (ownMs) => {
    const { user, system } = process.cpuUsage(client);
    const otherMs = busyTime() - busyMs - (user + system) / 1000 - ownMs;
    return otherMs <= MOST_OTHER_WORK * (performance.now() - startedAt);
  };
}

/** CPU time of all programs on all cores since the system started, in milliseconds. */
function busyTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
