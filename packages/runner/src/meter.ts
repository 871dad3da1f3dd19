import type { InstanceUsage } from "@evenbench/core";
import { usedBetween } from "@evenbench/host";
import type { Instance } from "./instance.ts";

/** What is metered: a contender's instance, and how many exchanges it has served. */
export interface Metered {
  readonly name: string;
  readonly instance: Instance;
  readonly measured: number;
}

/** Notes what an instance has used by now; reading it later tells what it used since. Resolves when it is noted. */
export async function startMeter(lane: Metered) {
  const { instance, measured } = lane;
  const before = await instance.account();
  return {
    /** null where the system does not tell, and when another process has taken over meanwhile. */
    async read(): Promise<Omit<InstanceUsage, "caseId" | "generation"> | null> {
      const after = await lane.instance.account();
      const isSame = lane.instance === instance && before?.pids.join() === after?.pids.join();
      if (before === null || after === null || !isSame) return null;
      return {
        target: lane.name,
        exchanges: lane.measured - measured,
        ...usedBetween(before, after),
      };
    },
  };
}
