import { type CpuProfile, parseCpuProfile } from "./cpu-profile.ts";
import type { InspectorSession } from "./inspector.ts";

/** A profile of some megabytes takes a busy isolate a while to write down. */
const STOP_WITHIN_MS = 60_000;

/**
 * Samples an isolate's stack while work goes on.
 *
 * @throws {ProfileError} when the inspector fails; {TypeError} when what it gives is no profile.
 */
export async function recordCpuProfile<T>(
  session: InspectorSession,
  intervalUs: number,
  work: () => Promise<T>,
): Promise<{ profile: CpuProfile; result: T }> {
  await session.call("Profiler.enable");
  await session.call("Profiler.setSamplingInterval", { interval: intervalUs });
  await session.call("Profiler.start");
  const result = await work();
  const answer = await session.call("Profiler.stop", {}, STOP_WITHIN_MS);
  return { profile: parseCpuProfile((answer as { profile?: unknown }).profile), result };
}
