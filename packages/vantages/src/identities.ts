import { messageOf, UserError } from "@evenbench/core/errors";
import { fetchIdentity } from "@evenbench/probe/preflight";
import type { Target } from "@evenbench/runner";

/** Milliseconds within which a target has to answer `/identity`. */
const IDENTITY_WITHIN_MS = 20_000;

/** The message where somebody plans for a server that knows nothing of Evenbench. */
export const NOT_FOR_OWN_SERVERS =
  "Vantages measure Evenbench's cases, on targets that `deploy` made or that serve them likewise; --path is for your own servers. Measure those from this machine: `run --path` and `load --path`.";

/**
 * Checks that targets given by URL say what they are, before anything else is asked of them: a user's own
 * server has no `/identity`.
 *
 * @throws {UserError} where one does not.
 */
export async function checkIdentities(targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    if (target.place !== "url") {
      continue;
    }
    const { name, url, token = null } = target;
    await fetchIdentity(url, { token, timeoutMs: IDENTITY_WITHIN_MS }).catch((error: unknown) => {
      throw new UserError(
        `${name} does not say what it is: ${url}: ${messageOf(error)}. ${NOT_FOR_OWN_SERVERS}`,
      );
    });
  }
}
