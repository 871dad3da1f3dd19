import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host/repository";
import { chooseOfRepository } from "../cases.ts";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { UsageError } from "../nearest.ts";
import type { BuildsOptions } from "../options.ts";
import { sayNote } from "../say.ts";
import { isLocal } from "../targets.ts";
import { buildBase, checkOut } from "./base.ts";
import { type Pairs, type PrintOptions, printFindings } from "./findings.ts";
import { measurePairs, type Pair, type PairOptions, pairUp } from "./measure.ts";

export type AgainstOptions = BuildsOptions & Pick<PrintOptions, "failOn">;

export async function againstCommit(ref: string, options: AgainstOptions): Promise<void> {
  const signal = interruptible();
  await untilAborted(signal, async () => {
    await using base = await checkOut(ref);
    const short = base.commit.slice(0, 12);
    const { targets, ...chosen } = await workingCopy(options);
    sayNote(`Building ${short} ...`);
    await buildBase(base, targets, signal);
    const pairs = await pairUp(targets, chosen.cases, { base: base.folder, head: repositoryRoot });
    await compare(pairs, { ...options, ...chosen, out: `${options.out}/${short}`, signal });
  });
}

/** The working copy serves both states and knows the cases, so it is built where it is not. */
export async function againstFolder(base: string, head: string, options: AgainstOptions): Promise<void> {
  const missing = [base, head].find((folder) => !existsSync(folder));
  if (missing !== undefined)
    throw new UserError(
      `There is no folder ${resolve(missing)}. Name two checkouts that are built (npm run build).`,
    );
  const folders = { base: resolve(base), head: resolve(head) };
  const signal = interruptible();
  await untilAborted(signal, async () => {
    const { targets, ...chosen } = await workingCopy(options);
    const pairs = await pairUp(targets, chosen.cases, folders);
    if (pairs.changed.length + pairs.equal.length === 0)
      throw new UserError(
        `Nothing can be compared: ${pairs.oneSided.join(" ")} Run npm run build in both folders first.`,
      );
    await compare(pairs, { ...options, ...chosen, signal });
  });
}

async function untilAborted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // What was cut off has failed, too.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) exit.code = ExitCode.interrupted;
}

async function compare(pairs: Pairs<Pair>, options: PairOptions & PrintOptions): Promise<void> {
  const measured = await measurePairs(pairs.changed, options);
  const code = await printFindings(measured, pairs, options);
  // What could not be loaded or built has failed it already.
  if (exit.code === ExitCode.done) exit.code = code;
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
