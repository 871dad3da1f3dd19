import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { FailOn } from "@evenbench/report";
import { buildBase } from "../against/build-base.ts";
import { measurePairs } from "../against/measure-pairs.ts";
import { pairUp } from "../against/pairs.ts";
import { printFindings } from "../against/print-findings.ts";
import { checkOut, type Worktree } from "../against/worktree.ts";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import type { OutputOptions } from "../output-options.ts";
import { sayNote } from "../say.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import { casesAskedFor } from "../suites.ts";

export interface AgainstOptions extends SelectionOptions, OutputOptions {
  readonly suite?: string;
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
  readonly failOn?: FailOn;
}

/** Measures the working copy against another commit: both served, in turns, each target by itself. */
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
  const named = (await selectTargets(options, exit)).filter(isLocal);
  const asked = await casesAskedFor(options, named);
  const { targets, missing } = await buildTargets(await targetsWith(named, asked), options);
  const local = targets.filter(isLocal);
  const { byApp, otherIds } = await casesToMeasure(local, asked, options.case !== undefined);
  sayNote(`Building ${base.commit.slice(0, 12)} ...`);
  const built = await buildBase(
    base,
    local.map(({ name }) => name),
    signal,
  );
  const pairs = await pairUp(local, byApp, {
    base: { folder: base.folder, has: built },
    head: { folder: repositoryRoot },
  });
  const out = join(options.out, base.commit.slice(0, 12));
  const measured = await measurePairs(pairs.changed, { ...options, out, otherIds, signal });
  const failed = await printFindings(measured, pairs, { ...options, out });
  if (missing.length > 0 || failed) exit.code = ExitCode.failed;
}
