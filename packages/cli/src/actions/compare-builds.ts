import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "@evenbench/core";
import { measurePairs } from "../against/measure-pairs.ts";
import { pairUp, type State } from "../against/pairs.ts";
import { printFindings } from "../against/print-findings.ts";
import { buildWorkingCopy } from "../against/working-copy.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import type { AgainstOptions } from "./against.ts";

/**
 * Measures two checkouts that are built already; the working copy serves them and knows the cases, so it is
 * built where it is not.
 *
 * @throws {UserError} when one of them is no folder, or has nothing built.
 */
export async function compareBuilds(
  base: string,
  head: string,
  options: AgainstOptions,
  exit: Exit,
): Promise<void> {
  const states = { base: { folder: resolve(base) }, head: { folder: resolve(head) } };
  for (const { folder } of Object.values(states)) {
    if (!existsSync(folder))
      throw new UserError(`There is no folder ${folder}. Name two checkouts that are built (npm run build).`);
  }
  const signal = interruptible();
  try {
    await compareStates(states, options, signal, exit);
  } catch (error) {
    // What was cut off has failed, too.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) exit.code = ExitCode.interrupted;
}

async function compareStates(
  states: { readonly base: State; readonly head: State },
  options: AgainstOptions,
  signal: AbortSignal,
  exit: Exit,
): Promise<void> {
  const { targets, missing, byApp, otherIds } = await buildWorkingCopy(options, exit);
  const pairs = await pairUp(targets, byApp, states);
  if (pairs.changed.length === 0 && pairs.equal.length === 0) {
    throw new UserError(
      `Nothing can be compared: ${pairs.oneSided.join(" ")} Run npm run build in both folders first.`,
    );
  }
  const measured = await measurePairs(pairs.changed, { ...options, otherIds, signal });
  const failed = await printFindings(measured, pairs, { ...options, signal });
  if (missing.length > 0 || failed) exit.code = ExitCode.failed;
}
