import type { Host } from "@evenbench/core";
import { readCpuTimeMs } from "@evenbench/host";
import autocannon from "autocannon";

export interface FullLoad {
  readonly requestsPerSecond: number;
  /** CPU time of all serving processes for each request, in microseconds; null without /proc. */
  readonly cpuMicrosecondsPerRequest: number | null;
  readonly errors: number;
}

/**
 * Sends `connections` requests at a time for `seconds` to a path of a host, and reads the host's CPU account
 * around it.
 */
export async function fullLoad(
  host: Host,
  path: string,
  connections: number,
  seconds: number,
): Promise<FullLoad> {
  const before = cpuOf(host);
  const result = await autocannon({ url: host.url + path, connections, duration: seconds });
  const after = cpuOf(host);
  const requests = result.requests.total;
  return {
    requestsPerSecond: requests / result.duration,
    cpuMicrosecondsPerRequest:
      before === null || after === null ? null : ((after - before) * 1000) / requests,
    errors: result.errors + result.non2xx,
  };
}

function cpuOf(host: Host): number | null {
  let total = 0;
  for (const pid of host.pids()) {
    const used = readCpuTimeMs(pid);
    if (used === null) return null;
    total += used;
  }
  return total;
}
