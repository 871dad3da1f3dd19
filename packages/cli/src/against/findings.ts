import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  amountWords,
  boundWords,
  detectable,
  fittedTable,
  formatChange,
  listed,
  NO_INTERVAL,
  percent,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import {
  askedChange,
  changesOf,
  type FailOn,
  failingRows,
  judgedOrNull,
  type TargetChange,
  undecidedRows,
  type WrittenReport,
} from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";

type ChangeVerdict = NonNullable<TargetChange["verdict"]>;

/** The comparison of two states of one target in one case. The target's name is without the state. */
export interface Finding extends TargetChange {
  readonly verdict: ChangeVerdict;
}

/**
 * The result of comparing two states of several targets. Targets are named; what was left out and what ended
 * early is a line each.
 */
export interface AgainstOutcome {
  readonly findings: readonly Finding[];
  /** Names of the targets that were measured. */
  readonly changed: readonly string[];
  /** Names of the targets whose states are equal byte for byte. */
  readonly equal: readonly string[];
  /** Sentences on cases that only one state has. */
  readonly casesOfOneState: readonly string[];
  /** Sentences on what ended early, or could not be measured. */
  readonly unfinished: readonly string[];
}

/** The part of a case's report that its findings are made of. */
type ReportedCase = Pick<WrittenReport["data"]["cases"][number], "headline" | "cpuTime"> & {
  readonly manifest: { readonly id: string };
};

/**
 * Lists the findings of a report on two states of one target; "no result" for a case that has no comparison.
 */
export function findingsOf(cases: readonly ReportedCase[], target: string): readonly Finding[] {
  return cases.flatMap(({ manifest, headline, cpuTime }): readonly Finding[] => {
    const comparisons = headline?.comparisons ?? [];
    if (comparisons.length === 0) {
      const nothing = { ratio: null, equivalence: null, cpu: null };
      return [{ caseId: manifest.id, target, verdict: "no result", ...nothing }];
    }
    return comparisons.map(({ verdict, ratio, equivalence, target: compared }) => {
      const cpu = cpuTime?.comparisons.find((other) => other.target === compared) ?? null;
      return {
        caseId: manifest.id,
        target,
        verdict,
        ratio,
        equivalence,
        cpu: cpu && { verdict: cpu.verdict, ratio: cpu.ratio, equivalence: cpu.equivalence },
      };
    });
  });
}

/** The columns of a row that say what it is of: case and target. */
const NAMING_COLUMNS = 2;

/** The part of an outcome that is shown, with the condition that the user set. */
interface Rendered extends Pick<AgainstOutcome, "findings" | "equal" | "casesOfOneState"> {
  readonly failOn?: FailOn | undefined;
}

/** Writes what an outcome is, in lines of at most `width` columns. */
export function renderFindings(
  { findings, equal, casesOfOneState, failOn }: Rendered,
  { width } = terminalOptions(),
): string {
  const head = ["case", "target", "time", "", "CPU time", ""];
  const rows = findings.map(({ caseId, target, verdict, ratio, cpu }) => [
    caseId,
    target,
    formatChange(ratio),
    verdict,
    formatChange(cpu?.ratio ?? null),
    cpu?.verdict ?? "–",
  ]);
  const changes = changesOf(findings.map((finding) => ({ ...finding, cpu: judgedOrNull(finding.cpu) })));
  const wrapped = (text: string): readonly string[] => wrap(text, width, 2);
  const lines = [
    ...(findings.length === 0 ? ["Nothing was compared."] : changes).flatMap(wrapped),
    "",
    ...(rows.length === 0 ? [] : [...fittedTable({ head, rows }, width, NAMING_COLUMNS), ""]),
    ...powerOf(findings, failOn).flatMap(wrapped),
    ...(equal.length === 0 ? [] : wrapped(`Not measured, because equal byte for byte: ${listed(equal)}.`)),
    ...casesOfOneState.flatMap(wrapped),
  ];
  return lines.join("\n").trimEnd();
}

const CPU_TIME: FailOn["of"] = "CPU time";

/** Says which slowdown would have been found on each target, and whether that is enough for the condition. */
function powerOf(findings: readonly Finding[], failOn: FailOn | undefined): readonly string[] {
  const of = failOn?.of;
  const parts: string[] = [];
  const tooCoarse: string[] = [];
  for (const [target, ofTarget] of Map.groupBy(findings, (finding) => finding.target)) {
    const ratios = ofTarget.flatMap(
      ({ ratio, cpu }) => (of === CPU_TIME ? (cpu?.ratio ?? null) : ratio) ?? [],
    );
    if (ratios.length === 0) {
      continue;
    }
    const smallest = Math.max(...ratios.map(detectable));
    parts.push(`${smallest > 1 ? "over 100 %" : percent(smallest)} on ${target}`);
    if (failOn !== undefined && smallest > failOn.by) {
      tooCoarse.push(target);
    }
  }
  if (parts.length === 0) {
    return [];
  }
  const what = of === CPU_TIME ? "a rise of CPU time" : "a slowdown";
  const enough =
    tooCoarse.length === 0
      ? "."
      : `: too coarse for your ${percentAsked(failOn)}${parts.length === tooCoarse.length ? "" : ` on ${listed(tooCoarse)}`}. More trials or --time narrow it.`;
  return [`In every case the run would have found ${what} of ${listed(parts)}${enough}`, ""];
}

/** Writes the amount of a condition as it was typed: "5 %". */
function percentAsked(failOn: FailOn | undefined): string {
  return `${Number(((failOn?.by ?? 0) * 100).toPrecision(6))} %`;
}

/** Prints what was found, and a line for what is missing. @returns the exit code. */
export async function printFindings(
  { changed, ...outcome }: AgainstOutcome,
  { out, json, failOn, signal }: PrintOptions,
): Promise<number> {
  const { findings, casesOfOneState, unfinished } = outcome;
  if (json) {
    sayJson(outcome, 2);
  } else {
    say(renderFindings({ ...outcome, failOn }));
  }
  // Before anything is written: a disk that is full ends it there.
  for (const line of unfinished) {
    sayAside(`evenbench: ${line}`);
  }
  if (!json && changed.length + outcome.casesOfOneState.length > 0) {
    await mkdir(out, { recursive: true });
    const file = join(out, "against.txt");
    await writeWhole(file, `${renderFindings({ ...outcome, failOn })}\n`);
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

/** Options of printing findings. */
export interface PrintOptions {
  /** Path of the folder of the runs. */
  readonly out: string;
  readonly json?: boolean;
  readonly failOn?: FailOn;
  readonly signal: AbortSignal;
}

/**
 * Says why a condition is met or cannot be ruled out, and gives the exit code of that.
 *
 * @param unjudged a sentence for each thing that the condition speaks of and that was not measured, or cannot be
 * judged, with what to do.
 */
export function exitByRows(
  rows: readonly TargetChange[],
  failOn: FailOn,
  unjudged: readonly string[],
): number {
  const met = failingRows(rows, failOn);
  for (const row of met) {
    const ratio = askedChange(row, failOn)?.ratio;
    const what = failOn.of === CPU_TIME ? "CPU time " : "";
    const change = ratio == null ? "" : `: ${what}${amountWords(ratio)}`;
    sayAside(`evenbench: ${row.target} is ${failOn.verdict} in ${row.caseId}${change}.`);
  }
  const open = undecidedRows(rows, failOn);
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

function describeOpen(row: TargetChange, failOn: FailOn): string {
  const { caseId, target } = row;
  const change = askedChange(row, failOn);
  if (change === null) {
    return `No CPU time is known of ${target} in ${caseId}, so nothing can be said of it.`;
  }
  if (change.verdict === "no result") {
    return `${target} has no result in ${caseId}, so nothing can be said of it.`;
  }
  if (change.verdict === "not warm") {
    return `${target} was not warm in ${caseId}, so there is no verdict on it. Give it more --time, or leave --time out.`;
  }
  if (change.verdict === "withheld") {
    return `The verdict on ${target} in ${caseId} is withheld, since its CPU time differs between two copies of the same. Measure again, while nothing else runs.`;
  }
  const what = failOn.of === CPU_TIME ? " in CPU time" : "";
  const found = change.ratio === null ? NO_INTERVAL : boundWords(change.ratio);
  return `${target} may be ${failOn.verdict} by ${percentAsked(failOn)}${what} in ${caseId}, or not: ${found}. More trials or --time can tell.`;
}
