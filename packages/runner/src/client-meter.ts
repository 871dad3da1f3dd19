import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ClientLoad } from "@evenbench/results";

/** The histogram's timer is late by this much when the loop is not late at all. */
const RESOLUTION_MS = 10;

/** Watches this process from now on; reading it ends that. */
export function watchClient() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const [wallStart, cpuStart] = [performance.now(), process.cpuUsage()];
  return {
    read(): Omit<ClientLoad, "caseId" | "trial"> {
      delay.disable();
      const { user, system } = process.cpuUsage(cpuStart);
      const late = delay.count === 0 ? 0 : delay.percentile(99) / 1e6 - RESOLUTION_MS;
      return {
        wallMs: performance.now() - wallStart,
        cpuMs: (user + system) / 1000,
        eventLoopDelayP99Ms: Math.max(0, late),
      };
    },
  };
}
