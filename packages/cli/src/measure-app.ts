import { OWN_SERVER_APP } from "@evenbench/core";
import { QUICK } from "@evenbench/results/run-options";
import { run } from "@evenbench/runner";
import { ExitCode, exit } from "./exit.ts";
import { isWhole, progressListeners, reportOn } from "./measuring.ts";
import { APP_COLD_STARTS, type AppOptions } from "./options.ts";
import { type BuiltApp, warnOfCaches } from "./own-app.ts";
import { describeRun } from "./progress.ts";

/** Measures a user's app as `run` does, and prints its report. */
export async function measureApp(built: BuiltApp, folder: string, options: AppOptions): Promise<void> {
  const { app, targets, requests } = built;
  warnOfCaches(built);
  const { clear, ...watched } = progressListeners(describeRun);
  const cold = options.cold ?? (options.quick ? 0 : APP_COLD_STARTS);
  const settings = { ...(options.quick && QUICK), ...options, cold };
  const result = await run({
    ...settings,
    ...watched,
    targets,
    cases: { [OWN_SERVER_APP]: requests.cases },
    timeMs: settings.time ?? null,
    ...(settings.total !== undefined && { totalMs: settings.total }),
    ownApp: {
      folder,
      title: app.title,
      on: options.on ?? [],
      envFiles: options.envFile ?? [],
      start: options.start ?? null,
      build: typeof options.build === "string" ? options.build : null,
    },
  });
  clear();
  const { isDamaged } = await reportOn(result.folder, options);
  if (watched.signal.aborted) {
    exit.code = ExitCode.interrupted;
  } else if (isDamaged || !isWhole(result.run)) {
    exit.code = ExitCode.failed;
  }
}
