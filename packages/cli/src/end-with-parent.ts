const LOOK_EVERY_MS = 1000;
/** The process id of packages/setup, where that started this process. */
const DOOR = "EVENBENCH_DOOR";

/**
 * Sends this process SIGTERM when packages/setup, which started it, is gone: SIGKILL cannot be passed on, and
 * servers would be left.
 */
export function endWithParent(): void {
  const door = process.env[DOOR];
  if (door !== String(process.ppid)) return;
  const timer = setInterval(() => {
    if (door === String(process.ppid)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_EVERY_MS);
  timer.unref();
}
