import { join } from "node:path";
import { advising } from "@evenbench/core/advice";
import { messageOf, UserError } from "@evenbench/core/errors";
import { exclusively } from "@evenbench/host/exclusively";
import { repositoryRoot } from "@evenbench/host/repository";
import { sayNote } from "./say.ts";

/** Path of the lock of builds, from a clone's root on. Another clone, such as a worktree, has a lock of its own. */
export const BUILD_LOCK = "node_modules/.cache/evenbench/build.lock";

/**
 * Does `work` while no other build of this clone runs; where it waits, stderr says for whom.
 *
 * @param signal ends the waiting, not the work.
 * @param root absolute path of the clone.
 * @throws {UserError} where the lock cannot be written, as in a clone of another user. What `work` throws is thrown on.
 */
export async function underBuildLock<T>(
  work: () => Promise<T>,
  signal?: AbortSignal,
  root: string = repositoryRoot,
): Promise<T> {
  let hasBegun = false;
  try {
    return await exclusively(
      join(root, BUILD_LOCK),
      () => {
        hasBegun = true;
        return work();
      },
      {
        signal,
        onWait(holder) {
          const who = holder === null ? "" : ` (pid ${holder})`;
          sayNote(`Another build of this clone is running${who}; waiting.`);
        },
      },
    );
  } catch (error) {
    if (hasBegun || signal?.aborted) {
      throw error;
    }
    throw new UserError(
      `Nothing can be built in ${root}: its ${BUILD_LOCK} cannot be written (${messageOf(error)}). Build in a clone of your own${advising("--no-build", ", or use the last build (--no-build)")}.`,
    );
  }
}
