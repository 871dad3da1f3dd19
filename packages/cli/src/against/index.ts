import { UserError } from "@evenbench/core";
import type { ChoiceOptions } from "../cases.ts";
import { chooseOfRepository } from "../cases.ts";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { UsageError } from "../nearest.ts";
import { sayNote } from "../say.ts";
import { isLocal } from "../targets.ts";
import { buildBase, checkOut, isFolder, openFolder } from "./base.ts";
import { type PrintOptions, printFindings } from "./findings.ts";
import { measurePairs, type PairOptions, pairUp } from "./measure.ts";

type AgainstOptions = ChoiceOptions & Omit<PairOptions & PrintOptions, "otherCaseIds" | "signal">;

export async function against(word: string, options: AgainstOptions): Promise<void> {
  const signal = interruptible();
  const isBuilt = isFolder(word);
  try {
    await using base = isBuilt ? openFolder(word) : await checkOut(word);
    const { cases, otherCaseIds, targets } = await workingCopy(options);
    if (!isBuilt) {
      sayNote(`Building ${base.name} ...`);
      await buildBase(base, targets, signal);
    }
    const { changed, equal, oneSided } = await pairUp(targets, cases, base.folder);
    if (isBuilt && changed.length + equal.length === 0)
      throw new UserError(
        `Nothing can be compared: ${oneSided.join(" ")} Run npm run build in both folders first.`,
      );
    const terms = { ...options, otherCaseIds, out: `${options.out}/${base.name}`, signal };
    const measured = await measurePairs(changed, terms);
    const names = changed.map(({ name }) => name);
    const left = [...oneSided, ...measured.oneSided];
    const code = await printFindings({ ...measured, changed: names, equal, oneSided: left }, terms);
    // What could not be loaded or built has failed it already.
    if (exit.code === ExitCode.done) exit.code = code;
  } catch (error) {
    // What was cut off has failed, too.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) exit.code = ExitCode.interrupted;
}

/** The other state of what runs elsewhere is not known. */
async function workingCopy(options: AgainstOptions) {
  const chosen = await chooseOfRepository(options, (selected) => {
    const elsewhere = selected.find((target) => !isLocal(target));
    if (elsewhere !== undefined)
      throw new UsageError(
        `${elsewhere.name} runs elsewhere, where its other state is not known. Name local targets, or leave --target and --where out.`,
      );
  });
  return { ...chosen, targets: chosen.targets.filter(isLocal) };
}
