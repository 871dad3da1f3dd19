import type { SameWork } from "@evenbench/core";
import { preflight } from "@evenbench/probe/preflight";
import {
  appIdOf,
  explainThrown,
  type LocalTarget,
  preflightTargetOf,
  quoteBlamedLogs,
  type ServedTargets,
  type ServeSettings,
  startTargets,
} from "@evenbench/runner";
import { Interrupted } from "./exit.ts";
import { sayNote } from "./say.ts";
import { isLocal, type Selection } from "./selection.ts";

interface Terms {
  /** Cases whose golden values do not count. */
  readonly accept?: readonly string[];
  /** Settings that may differ. */
  readonly allow?: readonly string[];
  /** The way in which answers of own servers are compared. Default: "proven". */
  readonly sameWork?: SameWork;
  readonly signal: AbortSignal;
}

/** Starts local targets, and keeps them up. @throws {Interrupted} where the signal aborts before all are ready. */
export async function startInterruptibly(
  targets: readonly LocalTarget[],
  settings: ServeSettings & { readonly signal: AbortSignal },
): Promise<ServedTargets> {
  try {
    return await startTargets(targets, settings);
  } catch (error) {
    throw settings.signal.aborted ? new Interrupted("Stopped before all targets had started.") : error;
  }
}

/** Has preflight check targets, app by app. Local ones are up meanwhile. */
export async function* provenByApp(
  { targets, cases, otherCaseIds }: Omit<Selection, "missing">,
  { accept = [], ...terms }: Terms,
) {
  const local = targets.filter(isLocal);
  const services = Object.values(cases).flatMap((all) => all.flatMap((manifest) => manifest.services));
  const served =
    local.length > 0 ? await startInterruptibly(local, { services, signal: terms.signal }) : null;
  const running = served?.targets() ?? [];
  const byName = new Map(running.map((target) => [target.name, target]));
  const logFiles = new Map(running.map(({ name, logFile }) => [name, logFile]));
  let isQuoted = false;
  try {
    for (const [app, manifests] of Object.entries(cases)) {
      const result = await preflight({
        targets: targets
          .filter((target) => appIdOf(target) === app)
          .map((target) => preflightTargetOf(target, byName.get(target.name))),
        cases: manifests.map((manifest) => ({
          ...manifest,
          ...(accept.includes(manifest.id) && { golden: null }),
        })),
        otherCaseIds,
        onWait: sayNote,
        ...terms,
      });
      const logs = quoteBlamedLogs(result.problems, logFiles);
      isQuoted ||= logs.length > 0;
      yield { app, result: await explainThrown(result, logFiles), logs };
    }
  } finally {
    await served?.stop(isQuoted);
  }
}
