import { setTimeout as delay } from "node:timers/promises";
import { send, type Traffic, type TrafficCounts } from "./traffic.ts";

/** A connection that failed waits so long before it tries again: a dead server must not be hammered. */
const AFTER_FAILURE_MS = 50;

/**
 * Closed loop: every connection sends its next request when its last answer is complete, for so long.
 * Resolves when the last answer is there; each is bounded by its probe's own timeout.
 */
export async function closedLoop(traffic: Traffic, durationMs: number): Promise<TrafficCounts> {
  const endsAt = performance.now() + durationMs;
  let sent = 0;
  const mayGoOn = () => !traffic.signal.aborted && performance.now() < endsAt;
  await Promise.all(
    traffic.connections.map(async (_, connection) => {
      while (mayGoOn()) {
        sent += 1;
        const { error } = await send(traffic, connection, performance.now());
        if (error?.kind === "connection" && mayGoOn()) await delay(AFTER_FAILURE_MS);
      }
    }),
  );
  return { sent, queued: 0, late: 0, dropped: 0 };
}
