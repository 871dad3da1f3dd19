import { Session } from "node:inspector/promises";
import type { CallFrame, CpuProfile } from "../src/inspector.ts";
import { burn } from "./burn.ts";
import { churn } from "./churn.ts";

/**
 * On a busy machine time passes without work: so much of it there is in any case, since a collector that
 * never ran is in no profile.
 */
const LEAST_ROUNDS_PER_MS = 1 / 15;

/** Takes a CPU profile of this very process while it counts and allocates for a while each. */
export async function recordBurnAndChurn(forMs = 300): Promise<CpuProfile> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
    const until = performance.now() + forMs;
    for (let left = forMs * LEAST_ROUNDS_PER_MS; left > 0 || performance.now() < until; left--) {
      burn();
      churn();
    }
    return (await session.post("Profiler.stop")).profile as CpuProfile;
  } finally {
    session.disconnect();
  }
}

/** Whether a frame is of one of the two files. */
export function isIn(frame: CallFrame, file: "burn.ts" | "churn.ts"): boolean {
  return frame.url.endsWith(`/test/${file}`);
}
