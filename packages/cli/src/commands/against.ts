import type { Command } from "@commander-js/extra-typings";
import { UserError } from "@evenbench/core/errors";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withLocalTargets, withOutput } from "../options.ts";
import { sayNote } from "../say.ts";

/** Declares the command `against`. */
export function declare(program: Command) {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("<base>", "a branch, a tag or a commit; or a checkout that is built, such as ../before")
    .addOption(shared.failOn("case"))
    .addOption(shared.cases())
    .addOption(shared.suite())
    .addOption(shared.time("case", " (default: what it takes to be warm)"))
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out("folder for the runs, by commit", "results/against"));
  return withExamples(
    withOutput(withLocalTargets(command)),
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  );
}

/**
 * Compares the working copy with another commit, or with a checkout that is built, and prints the findings.
 */
export default async function against(word: string, options: OptionsOf<typeof declare>): Promise<void> {
  const { buildBase, checkOut, isFolder, openFolder } = await import("../against/base.ts");
  const { printFindings } = await import("../against/findings.ts");
  const { measurePairs, pairUp } = await import("../against/measure.ts");
  const { chooseOfRepository, isLocal } = await import("../selection.ts");
  const signal = interruptible();
  const isBuilt = isFolder(word);
  try {
    await using base = isBuilt ? openFolder(word) : await checkOut(word);
    const { cases, otherCaseIds, ...chosen } = await chooseOfRepository(options);
    const targets = chosen.targets.filter(isLocal);
    if (!isBuilt) {
      sayNote(`Building ${base.name} ...`);
    }
    const unbuilt = isBuilt ? [] : await buildBase(base, targets, signal);
    const { changed, equal, casesOfOneState: oneSided } = await pairUp(targets, cases, base.folder);
    if (isBuilt && changed.length + equal.length === 0) {
      throw new UserError(
        `Nothing can be compared: ${oneSided.join(" ")} Run npm run build in both folders first.`,
      );
    }
    const terms = { ...options, otherCaseIds, out: `${options.out}/${base.name}`, signal };
    const measured = await measurePairs(changed, terms);
    const names = changed.map(({ name }) => name);
    const left = [...oneSided, ...measured.casesOfOneState];
    const unfinished = [...unbuilt, ...measured.unfinished];
    const outcome = { ...measured, changed: names, equal, casesOfOneState: left, unfinished };
    const code = await printFindings(outcome, terms);
    // What could not be loaded or built has failed it already.
    if (exit.code === ExitCode.done) {
      exit.code = code;
    }
  } catch (error) {
    // What was cut off has failed, too.
    if (!signal.aborted) {
      throw error;
    }
  }
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  }
}
