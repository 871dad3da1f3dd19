import { join } from "node:path";
import { formatDuration } from "@evenbench/core";
import { createReport, type FailOn, failing } from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { run as measure, type RunOptions } from "@evenbench/runner";
import { buildBase } from "../against/build-base.ts";
import { comparableCases } from "../against/comparable.ts";
import { type Finding, findingsOf, renderFindings } from "../against/findings.ts";
import { type Pair, type Pairs, pairUp } from "../against/pairs.ts";
import { checkOut, type Worktree } from "../against/worktree.ts";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import type { OutputOptions } from "../output-options.ts";
import { progressLine } from "../progress.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import { casesAskedFor } from "../suites.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";

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
  const pairs = await pairUp(local, byApp, built, base.folder);
  const out = join(options.out, base.commit.slice(0, 12));
  const findings: Finding[] = [];
  const left: string[] = [];
  const allow = ["artifact", ...(options.allow ?? [])];
  for (const pair of pairs.changed) {
    if (pair.cases.length === 0 || signal.aborted) continue;
    const comparable = await comparableCases(pair, { allow, otherIds, signal });
    left.push(...comparable.left);
    if (comparable.cases.length === 0) continue;
    findings.push(
      ...(await measurePair(
        { ...pair, cases: comparable.cases },
        { ...options, allow, out, otherIds, signal },
      )),
    );
  }
  await sayFindings(findings, { ...pairs, oneSided: [...pairs.oneSided, ...left] }, out, options);
  if (missing.length > 0 || (options.failOn !== undefined && sayFailing(findings, options.failOn)))
    exit.code = ExitCode.failed;
}

async function measurePair(
  { name, base, head, cases }: Pair,
  {
    out,
    otherIds,
    signal,
    allow,
    time,
    seed,
  }: Pick<AgainstOptions, "time" | "seed"> & {
    readonly out: string;
    /** That the two are different builds is the point: their artifact's digest is among these. */
    readonly allow: readonly string[];
    readonly otherIds: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<readonly Finding[]> {
  const progress = progressLine(process.stderr);
  const options: RunOptions = {
    targets: [base, head],
    baseline: base.name,
    cases: { [base.app.id]: cases },
    otherCaseIds: otherIds,
    allow,
    warmUpFile: WARM_UP_FILE,
    out,
    signal,
    ...(time === undefined ? {} : { timeMs: time }),
    ...(seed === undefined ? {} : { seed }),
    onProgress: progress.show,
    onPlan(expectedMs) {
      progress.clear();
      sayNote(`Measuring ${name} takes about ${formatDuration(expectedMs)} on a quiet machine.`);
    },
    onEvent({ detail }) {
      progress.clear();
      sayNote(`! ${detail}`);
    },
  };
  const { folder } = await measure(options);
  progress.clear();
  const report = await createReport(folder);
  sayNote(`Report of ${name}: ${report.htmlFile}`);
  return findingsOf(report, name);
}

async function sayFindings(
  findings: readonly Finding[],
  pairs: Pairs,
  out: string,
  { json = false }: OutputOptions,
): Promise<void> {
  if (json) {
    sayJson({ findings, equal: pairs.equal, oneSided: pairs.oneSided }, 2);
    return;
  }
  const text = renderFindings(findings, pairs);
  say(text);
  if (findings.length === 0) return;
  const file = join(out, "against.txt");
  await writeWhole(file, `${text}\n`);
  sayNote(`Written into ${file}`);
}

/** @returns whether there are any. */
function sayFailing(findings: readonly Finding[], failOn: FailOn): boolean {
  const failed = failing(findings, failOn);
  for (const { caseId, target, verdict, ratio } of failed)
    sayAside(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
  return failed.length > 0;
}
