import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withOutput } from "../options.ts";
import { say } from "../say.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `report`. */
export function declare(program: Command) {
  const command = program
    .command("report")
    .helpGroup("Look at results:")
    .description("make a run's reports again, from its folder")
    .argument("[run]", "the run's folder (default: the newest in the results folder)")
    .addOption(shared.out("the results folder"))
    .addOption(
      new Option("--table", "print the changes of a run as one Markdown table; make no report").conflicts([
        "json",
        "share",
      ]),
    )
    .addOption(
      new Option(
        "--share",
        "print the answer, a line a case, its caveats and its command, ready to paste",
      ).conflicts("json"),
    )
    .option("--anyway", "replace the reports even if samples were lost since then");
  return withExamples(
    withOutput(command),
    ["npm run bench -- report", "the newest run again"],
    ["npm run bench -- report results/<run> --table", "changes as a Markdown table"],
  );
}

/** Makes a run's reports again, or prints its results as a table or as a text to share. */
export default async function report(
  named: string | undefined,
  options: OptionsOf<typeof declare>,
): Promise<void> {
  const { LOAD_FILE, readSummary } = await import("@evenbench/results");
  const { resultsTable, shareText } = await import("@evenbench/report");
  const { reportOn } = await import("../measuring.ts");
  const folder = named ?? (await newestRun(options.out));
  const vain = ["table", "share", "anyway"].find((name) => name in options);
  if (vain !== undefined && existsSync(join(folder, LOAD_FILE))) {
    throw new UsageError(`--${vain} is for runs, and ${folder} is a load. Leave it out, or name a run.`);
  }
  if (options.table) {
    say(resultsTable(await readSummary(folder)));
  } else if (options.share) {
    say(shareText(await readSummary(folder)));
  } else {
    await reportOn(folder, options, options.anyway !== true);
  }
}

/**
 * Finds the run or load that began last, by what its record says: a folder may have any name. One that
 * preflight stopped has no sample and is passed over.
 *
 * @throws {UsageError} when there is none.
 */
export async function newestRun(results: string): Promise<string> {
  const { SAMPLES_FILE, startTimeOf: startOf } = await import("@evenbench/results");
  const sizeOf = (...path: string[]) => statSync(join(...path), { throwIfNoEntry: false })?.size ?? 0;
  const entries = await readdir(results, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(results, entry.name))
    .filter((folder) => sizeOf(folder, SAMPLES_FILE) > 0);
  let newest: string | null = null;
  let newestStart = Number.NEGATIVE_INFINITY;
  for (const folder of folders.sort()) {
    // Experiments have folders here, too, and no start of a run.
    const start = await startOf(folder);
    if (start === null || start < newestStart) {
      continue;
    }
    newest = folder;
    newestStart = start;
  }
  if (newest !== null) {
    return newest;
  }
  throw new UsageError(
    `There is no run in ${results} that has a sample. Measure one with \`${EVENBENCH} run\`.`,
  );
}
