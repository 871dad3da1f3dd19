import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { EVENBENCH } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { isThere } from "@evenbench/core/user-file";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withOutput } from "../options.ts";
import { sayForOthers, sayNote } from "../say.ts";

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
      new Option("--share", "print the answer and its table as Markdown, ready to paste").conflicts("json"),
    )
    .option("--anyway", "replace the reports even if samples were lost since then");
  return withExamples(
    withOutput(command).addOption(shared.exports()),
    ["npm run bench -- report", "the newest run again"],
    ["npm run -s bench -- report --share", "the newest comparison, ready to paste"],
  );
}

/** Makes a run's reports again, or prints its results as a text to share. */
export default async function report(
  named: string | undefined,
  options: OptionsOf<typeof declare>,
): Promise<void> {
  const { LOAD_FILE } = await import("@evenbench/results");
  const folder = named ?? (await newestRun(options.out, options.share === true));
  const vain = ["share", "anyway", "export"].find((name) => name in options);
  if (vain !== undefined && existsSync(join(folder, LOAD_FILE))) {
    throw new UsageError(`--${vain} is for runs, and ${folder} is a load. Leave it out, or name a run.`);
  }
  if (options.share) {
    const { readFacts, share } = await import("@evenbench/report");
    if (named === undefined) {
      sayNote(`The newest comparison: ${folder}`);
    }
    const { facts } = await readFacts(folder);
    sayForOthers(share(facts));
    return;
  }
  const { reportOn } = await import("../measuring.ts");
  await reportOn(folder, options, options.anyway !== true);
}

/**
 * Finds the run or load with samples that began last, by its record.
 *
 * @param isComparison true where it has to compare targets.
 * @throws {UsageError} when there is none.
 */
export async function newestRun(results: string, isComparison = false): Promise<string> {
  const { SAMPLES_FILE, startTimeOf } = await import("@evenbench/results");
  const sizeOf = (...path: string[]) => statSync(join(...path), { throwIfNoEntry: false })?.size ?? 0;
  const entries = isThere(results) ? await readdir(results, { withFileTypes: true }) : [];
  const begun: { readonly folder: string; readonly startedAtMs: number }[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))) {
    const folder = join(results, name);
    // Experiments have folders here, too, and no start of a run.
    const startedAtMs = sizeOf(folder, SAMPLES_FILE) > 0 ? await startTimeOf(folder) : null;
    if (startedAtMs !== null) {
      begun.push({ folder, startedAtMs });
    }
  }
  const byStart = begun.toSorted((a, b) => b.startedAtMs - a.startedAtMs || (a.folder < b.folder ? 1 : -1));
  for (const { folder } of byStart) {
    if (!isComparison || (await comparesTargets(folder))) {
      return folder;
    }
  }
  throw new UsageError(
    isComparison
      ? `There is no run in ${results} that compares anything. Measure one with \`${EVENBENCH} run\`, without --quick.`
      : `There is no run in ${results} that has a sample. Measure one with \`${EVENBENCH} run\`.`,
  );
}

/** Tells whether a folder has a run of several targets that is no smoke test. */
async function comparesTargets(folder: string): Promise<boolean> {
  const { readRunRecord } = await import("@evenbench/results");
  const run = await readRunRecord(folder).catch(() => null);
  const originals = run?.plan.targets.filter(({ copyOf }) => copyOf === null) ?? [];
  return run?.plan.quick !== true && originals.length > 1;
}
