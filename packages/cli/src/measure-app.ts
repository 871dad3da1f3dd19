import { OWN_SERVER_APP } from "@evenbench/core";
import { QUICK } from "@evenbench/results/run-options";
import { type RunOptions, run } from "@evenbench/runner";
import { ExitCode, exit } from "./exit.ts";
import { isWhole, progressListeners, reportOn } from "./measuring.ts";
import { APP_COLD_STARTS, type AppOptions } from "./options.ts";
import { type BuiltApp, recordOf, sayChanged, warnOfCaches } from "./own-app.ts";
import { describeRun } from "./progress.ts";

/** Gives what is measured of a user's app, and how. */
export function appMeasurement(built: BuiltApp, folder: string, options: AppOptions): RunOptions {
  const cold = options.cold ?? (options.quick ? 0 : APP_COLD_STARTS);
  const settings = { ...(options.quick && QUICK), ...options, cold };
  return {
    ...settings,
    targets: built.targets,
    leavesOut: true,
    cases: { [OWN_SERVER_APP]: built.requests.cases },
    timeMs: settings.time ?? null,
    ...(settings.total !== undefined && { totalMs: settings.total }),
    ownApp: recordOf(built, folder, options),
  };
}

/** Measures a user's app as `run` does, and prints its report. */
export async function measureApp(built: BuiltApp, folder: string, options: AppOptions): Promise<void> {
  warnOfCaches(built);
  const { clear, ...watched } = progressListeners(describeRun);
  const result = await run({ ...appMeasurement(built, folder, options), ...watched });
  clear();
  sayChanged(built.app);
  const { isDamaged } = await reportOn(result.folder, options);
  if (watched.signal.aborted) {
    exit.code = ExitCode.interrupted;
  } else if (isDamaged || !isWhole(result.run)) {
    exit.code = ExitCode.failed;
  }
}
