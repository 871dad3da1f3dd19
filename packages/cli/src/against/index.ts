import { UserError } from "@evenbench/core";
import { ExitCode, exit, interruptible } from "../exit.ts";
import type { SelectionOptions } from "../options.ts";
import { sayNote } from "../say.ts";
import { chooseOfRepository, isLocal } from "../selection.ts";
import { buildBase, checkOut, isFolder, openFolder } from "./base.ts";
import { type PrintOptions, printFindings } from "./findings.ts";
import { measurePairs, type PairOptions, pairUp } from "./measure.ts";

type AgainstOptions = SelectionOptions & Omit<PairOptions & PrintOptions, "otherCaseIds" | "signal">;

export async function against(word: string, options: AgainstOptions): Promise<void> {
  const signal = interruptible();
  const isBuilt = isFolder(word);
  try {
    await using base = isBuilt ? openFolder(word) : await checkOut(word);
    const { cases, otherCaseIds, ...chosen } = await chooseOfRepository(options);
    const targets = chosen.targets.filter(isLocal);
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
