import { join } from "node:path";
import { exclusively } from "@evenbench/host/exclusively";
import { repositoryRoot } from "@evenbench/host/repository";
import { sayAside } from "./say.ts";

/** From a clone's root on. Another clone, such as a worktree, has a lock of its own. */
export const BUILD_LOCK = "node_modules/.cache/evenbench/build.lock";

/**
 * Does `work`, which writes into the folders of builds, when no other build of this clone runs. Where it has to wait, stderr says for whom.
 *
 * @param signal ends the waiting, not the work.
 */
export function underBuildLock<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return exclusively(join(repositoryRoot, BUILD_LOCK), work, {
    signal,
    onWait(holder) {
      const who = holder === null ? "" : ` (pid ${holder})`;
      sayAside(`Another build of this clone is running${who}; waiting.`);
    },
  });
}
