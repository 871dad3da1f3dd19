import { STRANGER_APP } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import { run } from "@evenbench/runner";
import type { Exit } from "../exit.ts";
import { exitAfter, howToMeasure, type MeasuringOptions, refuseOtherTimes, watching } from "../measuring.ts";
import { pick } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import type { OwnServerOptions } from "../own-servers/options.ts";
import { readOwnServers } from "../own-servers/parse.ts";
import { printReport } from "../print-report.ts";
import { sayNote } from "../say.ts";

interface RunOwnServersOptions extends OwnServerOptions, MeasuringOptions, OutputOptions {
  readonly target?: readonly string[];
}

/** Measures servers that know nothing of Evenbench. Nothing of the repository is built or looked for. */
export async function runOwnServers(options: RunOwnServersOptions, exit: Exit): Promise<void> {
  const { targets, cases } = await readOwnServers(options);
  const names = targets.map(({ name }) => name);
  if (options.baseline !== undefined) pick("target", [options.baseline], names);
  if (typeof options.time === "object")
    refuseOtherTimes(
      options.time,
      cases.map(({ id }) => id),
    );
  if (names.length === 1)
    sayNote(`There is one target, so nothing is compared: ${names[0]} is measured beside a copy of itself.`);
  const { clear, ...watched } = watching();
  const result = await run({
    ...howToMeasure({ ...options, workers: 1 }),
    ...watched,
    targets,
    cases: { [STRANGER_APP]: cases },
    ...(options.sameWork && { sameWork: options.sameWork }),
  });
  clear();
  printReport(await createReport(result.folder), options);
  exitAfter(result, watched.signal, exit);
}
