import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { FailOn } from "@evenbench/report";
import { buildBase } from "../against/build-base.ts";
import { measurePairs } from "../against/measure-pairs.ts";
import { pairUp } from "../against/pairs.ts";
import { printFindings } from "../against/print-findings.ts";
import { buildWorkingCopy } from "../against/working-copy.ts";
import { checkOut, type Worktree } from "../against/worktree.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import type { OutputOptions } from "../output-options.ts";
import { sayNote } from "../say.ts";
import type { SelectionOptions } from "../selection-options.ts";

export interface AgainstOptions extends SelectionOptions, OutputOptions {
  readonly suite?: string;
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
  readonly failOn?: FailOn;
}

export async function againstCommand(ref: string, options: AgainstOptions, exit: Exit): Promise<void> {
  const signal = interruptible();
  await using base = await checkOut(ref);
  try {
    await compareWith(base, options, signal, exit);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) exit.code = ExitCode.interrupted;
}

async function compareWith(
  base: Worktree,
  options: AgainstOptions,
  signal: AbortSignal,
  exit: Exit,
): Promise<void> {
  const { targets, missing, byApp, otherIds } = await buildWorkingCopy(options, exit);
  sayNote(`Building ${base.commit.slice(0, 12)} ...`);
  const built = await buildBase(
    base,
    targets.map(({ name }) => name),
    signal,
  );
  const pairs = await pairUp(targets, byApp, {
    base: { folder: base.folder, has: built },
    head: { folder: repositoryRoot },
  });
  const out = join(options.out, base.commit.slice(0, 12));
  const measured = await measurePairs(pairs.changed, { ...options, out, otherIds, signal });
  const failed = await printFindings(measured, pairs, { ...options, out, signal });
  if (missing.length > 0 || failed) exit.code = ExitCode.failed;
}
