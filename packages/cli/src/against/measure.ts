import { createReport } from "@evenbench/report";
import type { Run } from "@evenbench/results";
import { run as measure, RunError } from "@evenbench/runner";
import { isWhole, WARM_UP_FILE, watching } from "../measuring.ts";
import { given } from "../options.ts";
import { runProgress } from "../progress.ts";
import { sayNote } from "../say.ts";
import { type Finding, findingsOf, type Measured } from "./findings.ts";
import { comparableCases, type Pair, withoutGolden } from "./pairs.ts";

export type { Finding } from "./findings.ts";

export interface PairOptions {
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  readonly allow?: readonly string[];
  readonly otherCaseIds: readonly string[];
  readonly signal: AbortSignal;
}

/** The setting that two builds are there to differ in. */
const BUILD = "artifact";

/** A run for each target: one that cannot be measured leaves the others theirs. */
export async function measurePairs(pairs: readonly Pair[], options: PairOptions): Promise<Measured> {
  const findings: Finding[] = [];
  const left: string[] = [];
  const unfinished: string[] = [];
  const allow = [BUILD, ...(options.allow ?? [])];
  for (const pair of pairs) {
    if (pair.cases.length === 0 || options.signal.aborted) continue;
    try {
      const comparable = await comparableCases(pair, { ...options, allow });
      left.push(...comparable.left);
      if (comparable.cases.length === 0) continue;
      const others = pair.cases.filter((one) => !comparable.cases.includes(one)).map(({ id }) => id);
      const otherCaseIds = [...options.otherCaseIds, ...others];
      const found = await measurePair({ ...pair, cases: comparable.cases }, { ...options, otherCaseIds });
      findings.push(...found.findings);
      unfinished.push(...found.unfinished);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      // What an interruption cut off has failed, too. No report says more, so the whole reason is here.
      if (!options.signal.aborted) unfinished.push(`Not measured: ${pair.name}. ${error.message.trim()}`);
    }
  }
  return { findings, left, unfinished };
}

async function measurePair(
  { name, base, head, cases }: Pair,
  { out, otherCaseIds, signal, allow, time, seed }: PairOptions,
): Promise<Omit<Measured, "left">> {
  const { clear, onTurn: _, ...watched } = watching(runProgress(process.stderr), signal, ` ${name}`);
  const { folder, run } = await measure({
    ...watched,
    targets: [base, head],
    baseline: base.name,
    cases: { [base.app.id]: cases.map(withoutGolden) },
    asksForGolden: false,
    otherCaseIds,
    allow: allow ?? [],
    expectedToDiffer: [BUILD],
    warmUpFile: WARM_UP_FILE,
    out,
    ...given({ timeMs: time, seed }),
  });
  clear();
  const report = await createReport(folder);
  sayNote(`Report of ${name}: ${report.htmlFile}`);
  return { findings: findingsOf(report, name), unfinished: unfinishedOf(run, name) };
}

/** None after an interruption: whoever asked for that knows. */
export function unfinishedOf(
  { status, events }: Pick<Run, "status" | "events">,
  name: string,
): readonly string[] {
  if (status === "interrupted" || isWhole({ status, events })) return [];
  const dropped = events.filter(({ kind }) => kind === "target-dropped");
  const isTold = (caseId: string | null) => dropped.some((event) => event.caseId === caseId);
  const failed = events.filter(({ kind, caseId }) => kind === "case-failed" && !isTold(caseId));
  const reasons = [...dropped, ...failed].map(({ detail }) => sentence(detail));
  if (reasons.length === 0) reasons.push(`the run of ${name} is ${status}.`);
  return reasons.map((reason) => `Not fully measured: ${reason} The report of ${name} says more.`);
}

function sentence(detail: string): string {
  const [first = ""] = detail.trim().split("\n");
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
