import { STRANGER_APP } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import { run } from "@evenbench/runner";
import type { Exit } from "../exit.ts";
import { exitAfter, howToMeasure, type MeasuringOptions, refuseOtherTimes, watching } from "../measuring.ts";
import { pick, UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import type { OwnServerOptions } from "../own-servers/options.ts";
import { readOwnServers } from "../own-servers/parse.ts";
import { printReport } from "../print-report.ts";
import { sayNote } from "../say.ts";
import type { RunCommandOptions } from "./run.ts";

interface RunOwnServersOptions extends OwnServerOptions, MeasuringOptions, OutputOptions {
  readonly target?: readonly string[];
}

/** Options that are about the targets and cases of this repository, and what they would have to mean here. */
const NOT_FOR_OWN = {
  app: "these servers are of no app",
  case: "each --path is a case",
  suite: "each --path is a case",
  where: "servers run where their URLs say",
  tokenFor: 'a token goes with --header "authorization: Bearer <token>"',
  allow: "their settings are not known, so none can be allowed to differ",
  cpu: "only platforms that Evenbench knows are asked",
  sweep: "they are asked for one answer at a time",
  workers: "a command starts as many as it wants",
} as const satisfies Partial<Record<keyof RunCommandOptions, string>>;

/** Measures servers that know nothing of Evenbench. Nothing of the repository is built or looked for. */
export async function runOwnServers(
  options: RunOwnServersOptions,
  isGiven: (option: string) => boolean,
  exit: Exit,
): Promise<void> {
  for (const [name, why] of Object.entries(NOT_FOR_OWN)) {
    if (!isGiven(name)) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} is not for servers of your own: ${why}. Leave it out.`);
  }
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
