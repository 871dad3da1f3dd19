import { OWN_SERVER_APP } from "@evenbench/core";
import { QUICK } from "@evenbench/results/run-options";
import { type RunOptions, run } from "@evenbench/runner";
import type { BuiltApp } from "./app-words.ts";
import { askedFor } from "./asked.ts";
import { finish, progressListeners } from "./measuring.ts";
import { recordOf, sayChanged, warnOfCaches } from "./own-app.ts";
import { type AppOptions, measuredFor, startsOf } from "./own-app-options.ts";
import { runDescriber } from "./progress.ts";

function appMeasurement(built: BuiltApp, folder: string, options: AppOptions): RunOptions {
  const { cold, startUps } = startsOf(options, options.quick !== true);
  return {
    ...(options.quick && QUICK),
    ...options,
    ...measuredFor(options, { ...options, cold, startUps }),
    asked: askedFor(),
    targets: built.targets,
    leavesOut: true,
    cases: { [OWN_SERVER_APP]: built.requests.cases },
    timeMs: options.time ?? null,
    ownApp: recordOf(built, folder),
  };
}

/** Measures a user's app as `run` does, and prints its report. */
export async function measureApp(built: BuiltApp, folder: string, options: AppOptions): Promise<void> {
  warnOfCaches(built);
  const measurement = appMeasurement(built, folder, options);
  const { clear, ...watched } = progressListeners(runDescriber(measurement.cases));
  const measured = await run({ ...measurement, ...watched });
  clear();
  sayChanged(built.app);
  await finish(measured.folder, options, watched.signal);
}
