import { usedBetween } from "@evenbench/host";
import type { InstanceUsage } from "@evenbench/results";
import type { Instance } from "./instance.ts";

/** What is metered: a subject's instance, and how many exchanges it has served. */
export interface Metered {
  readonly name: string;
  readonly instance: Instance;
  readonly measured: number;
}

/** Notes what an instance has used by now; reading it later says what it used since. Resolves when it is noted. */
export async function startMeter(metered: Metered) {
  const { instance, measured } = metered;
  const before = await instance.account();
  return {
    /** null where the system does not report it, and when another process has taken over meanwhile. */
    async read(): Promise<Omit<InstanceUsage, "caseId" | "trial"> | null> {
      const after = await metered.instance.account();
      const isSame = metered.instance === instance && before?.pids.join() === after?.pids.join();
      if (before === null || after === null || !isSame) return null;
      return {
        target: metered.name,
        exchanges: metered.measured - measured,
        ...usedBetween(before, after),
      };
    },
  };
}
