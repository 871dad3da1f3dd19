import { readPlan } from "../plan/read-plan.ts";
import { SCRIPT_FILE } from "../protocol/plan.ts";
import { type LogEnd, lookAtLog } from "./look-at-log.ts";
import type { Playable } from "./playable.ts";

/** A plan of vantages: every client plays all of it. @throws {UserError} when the folder has none. */
export async function vantagesPlayable(folder: string): Promise<Playable> {
  const { plan, hash } = await readPlan(folder);
  return {
    folder,
    hash,
    script: SCRIPT_FILE,
    closed: plan.closed,
    termsFor: (places) => places.map(() => ({})),
    async judge(log) {
      const seen = await lookAtLog(log);
      return { exchanges: seen.exchanges, problem: problemOf(seen, plan.counts.exchanges) };
    },
  };
}

function problemOf({ end, exchanges, said }: LogEnd, expected: number): string | null {
  if (end === null) return `it did not come to its end${said === "" ? "" : `: ${said}`}`;
  if (end.stopped !== null) return `it stopped: ${end.stopped}`;
  if (exchanges !== expected) return `its log has ${exchanges} requests of ${expected}`;
  return null;
}
