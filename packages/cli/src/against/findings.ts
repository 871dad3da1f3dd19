import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { detectable, formatRatio, listed, percent, textTable } from "@evenbench/page";
import { type ComparedRow, changesOf, type FailOn, failing, type Report, undecided } from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";

type Verdict = NonNullable<ComparedRow["verdict"]>;
type Ratio = ComparedRow["ratio"];

/** The comparison of two states of one target, in one case. */
export interface Finding {
  readonly caseId: string;
  /** The target's name, without the state. */
  readonly target: string;
  readonly verdict: Verdict;
  /** Time after / time before; null where there are too few trials, or a state has no result. */
  readonly ratio: Ratio;
  /** The ends of the ratio's 90 % interval, by which sameness is judged; null where there is no ratio. */
  readonly equivalence: ComparedRow["equivalence"];
  /** The same of CPU time; null where the system does not report it. */
  readonly cpuVerdict: Verdict | null;
  readonly cpuRatio: Ratio;
}

/**
 * The result of comparing two states of several targets. Targets are named; what was left out and what ended
 * early is a line each.
 */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly changed: readonly string[];
  readonly equal: readonly string[];
  readonly casesOfOneState: readonly string[];
  readonly unfinished: readonly string[];
}

/**
 * Lists the findings of a report on two states of one target; "no result" for a case that has no comparison.
 */
export function findingsOf({ data }: Pick<Report, "data">, target: string): readonly Finding[] {
  return data.cases.flatMap(({ manifest, headline, cpuTime }): readonly Finding[] => {
    const comparisons = headline?.comparisons ?? [];
    if (comparisons.length === 0) {
      const nothing = { ratio: null, equivalence: null, cpuVerdict: null, cpuRatio: null };
      return [{ caseId: manifest.id, target, verdict: "no result", ...nothing }];
    }
    return comparisons.map((comparison) => {
      const cpu = cpuTime?.comparisons.find((other) => other.target === comparison.target) ?? null;
      return {
        caseId: manifest.id,
        target,
        verdict: comparison.verdict,
        ratio: comparison.ratio,
        equivalence: comparison.equivalence,
        cpuVerdict: cpu?.verdict ?? null,
        cpuRatio: cpu?.ratio ?? null,
      };
    });
  });
}

type Rendered = Pick<Outcome, "findings" | "equal" | "casesOfOneState">;

/**
 * Writes findings for a terminal: the changes, a table, the slowdown that could have been found, and what was
 * left out.
 */
export function renderFindings({ findings, equal, casesOfOneState }: Rendered): string {
  const head = ["case", "target", "time", "", "CPU time", ""];
  const rows = findings.map(({ caseId, target, verdict, ratio, cpuVerdict, cpuRatio }) => [
    caseId,
    target,
    formatRatio(ratio),
    verdict,
    formatRatio(cpuRatio),
    cpuVerdict ?? "–",
  ]);
  const lines = [
    ...(findings.length === 0 ? ["Nothing was compared."] : changesOf(findings)),
    "",
    ...(rows.length === 0 ? [] : [...textTable({ head, rows }), ""]),
    ...powerOf(findings),
    ...(equal.length === 0 ? [] : [`Not measured, because equal byte for byte: ${listed(equal)}.`]),
    ...casesOfOneState,
  ];
  return lines.join("\n").trimEnd();
}

function powerOf(findings: readonly Finding[]): readonly string[] {
  const parts = [...Map.groupBy(findings, ({ target }) => target)].flatMap(([target, findingsOfTarget]) => {
    const ratios = findingsOfTarget.flatMap(({ ratio }) => ratio ?? []);
    if (ratios.length === 0) {
      return [];
    }
    const most = Math.max(...ratios.map(detectable));
    return [`${most > 1 ? "over 100 %" : percent(most)} on ${target}`];
  });
  return parts.length === 0
    ? []
    : [`In every case the run would have found a slowdown of ${listed(parts)}.`, ""];
}

/** Prints what was found, and a line for what is missing. @returns the exit code. */
export async function printFindings(
  { changed, ...outcome }: Outcome,
  { out, json, failOn, signal }: PrintOptions,
): Promise<number> {
  const { findings, casesOfOneState, unfinished } = outcome;
  if (json) {
    sayJson(outcome, 2);
  } else {
    say(renderFindings(outcome));
  }
  // Before anything is written: a disk that is full ends it there.
  for (const line of unfinished) {
    sayAside(`evenbench: ${line}`);
  }
  if (!json && changed.length + outcome.casesOfOneState.length > 0) {
    await mkdir(out, { recursive: true });
    const file = join(out, "against.txt");
    await writeWhole(file, `${renderFindings(outcome)}\n`);
    sayNote(`Written into ${file}`);
  }
  const names = changed.filter((name) => !findings.some(({ target }) => target === name));
  const unjudged = casesOfOneState.map((line) => `--fail-on has nothing to act on here: ${line}`);
  if (names.length > 0) {
    unjudged.push(
      `--fail-on has nothing to act on for ${listed(names)}, for the reasons above. Name cases (--case) that do the same work in both states, and check that both are measured completely.`,
    );
  }
  const judges = failOn !== undefined && !signal.aborted;
  const code = judges ? exitByRows(findings, failOn, unjudged) : ExitCode.done;
  if (unfinished.length === 0 || code !== ExitCode.done) {
    return code;
  }
  return judges ? ExitCode.undecided : ExitCode.failed;
}

/** How findings are printed. */
export interface PrintOptions {
  readonly out: string;
  readonly json?: boolean;
  readonly failOn?: FailOn;
  readonly signal: AbortSignal;
}

/**
 * Says why a condition is met or cannot be ruled out, and gives the exit code of that.
 *
 * @param unjudged what the condition speaks of and nobody measured, or cannot judge: a sentence each, with what to do.
 */
export function exitByRows(
  rows: readonly (ComparedRow | Finding)[],
  failOn: FailOn,
  unjudged: readonly string[],
): number {
  const met = failing(rows, failOn);
  for (const { caseId, target, verdict, ratio } of met) {
    sayAside(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
  }
  const open = undecided(rows, failOn);
  for (const row of open) {
    sayAside(`evenbench: ${describeOpen(row, failOn)}`);
  }
  for (const sentence of unjudged) {
    sayAside(`evenbench: ${sentence}`);
  }
  if (met.length > 0) {
    return ExitCode.failed;
  }
  return open.length + unjudged.length > 0 ? ExitCode.undecided : ExitCode.done;
}

function describeOpen({ caseId, target, verdict, ratio }: ComparedRow | Finding, failOn: FailOn): string {
  if (verdict === "no result") {
    return `${target} has no result in ${caseId}, so nothing can be said of it.`;
  }
  const by = Number((failOn.by * 100).toPrecision(6));
  const found = ratio === null ? "too few trials" : formatRatio(ratio);
  return `${target} may be ${failOn.verdict} by ${by} % in ${caseId}, or not: ${found}. More trials or --time can tell.`;
}
