import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  changesOf,
  detectable,
  type FailOn,
  failing,
  formatRatio,
  listed,
  percent,
  type Report,
  type RunComparison,
  textTable,
  undecided,
} from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";

export type Finding = ReturnType<typeof findingsOf>[number];

/** By the names of targets; what was left out and what ended early in a line each. */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly changed: readonly string[];
  readonly equal: readonly string[];
  readonly oneSided: readonly string[];
  readonly unfinished: readonly string[];
}

export function findingsOf({ data }: Pick<Report, "data">, target: string) {
  return data.cases.flatMap(({ manifest, headline, cpuTime }) =>
    (headline?.comparisons ?? []).map((comparison) => {
      const cpu = cpuTime?.comparisons.find((other) => other.target === comparison.target) ?? null;
      return {
        caseId: manifest.id,
        target,
        verdict: comparison.verdict,
        ratio: comparison.ratio,
        cpuVerdict: cpu?.verdict ?? null,
        cpuRatio: cpu?.ratio ?? null,
      };
    }),
  );
}

type Rendered = Pick<Outcome, "findings" | "equal" | "oneSided">;

export function renderFindings({ findings, equal, oneSided }: Rendered): string {
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
    ...oneSided,
  ];
  return lines.join("\n").trimEnd();
}

function powerOf(findings: readonly Finding[]): readonly string[] {
  const parts = [...Map.groupBy(findings, ({ target }) => target)].flatMap(([target, findingsOfTarget]) => {
    const ratios = findingsOfTarget.flatMap(({ ratio }) => ratio ?? []);
    const most = Math.max(...ratios.map(detectable));
    return ratios.length === 0 ? [] : [`${most > 1 ? "over 100 %" : percent(most)} on ${target}`];
  });
  return parts.length === 0
    ? []
    : [`In every case the run would have found a slowdown of ${listed(parts)}.`, ""];
}

export async function printFindings(
  { changed, ...outcome }: Outcome,
  { out, json, failOn, signal }: PrintOptions,
): Promise<number> {
  const { findings, unfinished } = outcome;
  if (json) sayJson(outcome, 2);
  else say(renderFindings(outcome));
  // Before anything is written: a disk that is full ends it there.
  for (const line of unfinished) sayAside(`evenbench: ${line}`);
  if (!json && changed.length + outcome.oneSided.length > 0) {
    await mkdir(out, { recursive: true });
    const file = join(out, "against.txt");
    await writeWhole(file, `${renderFindings(outcome)}\n`);
    sayNote(`Written into ${file}`);
  }
  const names = changed.filter((name) => !findings.some(({ target }) => target === name));
  const unjudged =
    names.length === 0
      ? null
      : `nothing to act on for ${listed(names)}, for the reasons above. Name cases (--case) that do the same work in both states, and check that both are measured completely.`;
  const judges = failOn !== undefined && !signal.aborted;
  const code = judges ? exitByRows(findings, failOn, unjudged) : ExitCode.done;
  if (unfinished.length === 0 || code !== ExitCode.done) return code;
  return judges ? ExitCode.undecided : ExitCode.failed;
}

interface PrintOptions {
  readonly out: string;
  readonly json?: boolean;
  readonly failOn?: FailOn;
  readonly signal: AbortSignal;
}

/** @param unjudged what the condition has nothing to act on, and what to do; null where there is no such thing. */
export function exitByRows(
  rows: readonly (RunComparison["rows"][number] | Finding)[],
  failOn: FailOn,
  unjudged: string | null,
): number {
  const met = failing(rows, failOn);
  for (const { caseId, target, verdict, ratio } of met)
    sayAside(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
  const open = undecided(rows, failOn);
  for (const { caseId, target, ratio } of open)
    sayAside(
      `evenbench: ${target} may be ${failOn.verdict} by ${Number((failOn.by * 100).toPrecision(6))} % in ${caseId}, or not: ${formatRatio(ratio)}. More trials or --time can tell.`,
    );
  if (unjudged !== null) sayAside(`evenbench: --fail-on has ${unjudged}`);
  if (met.length > 0) return ExitCode.failed;
  return open.length > 0 || unjudged !== null ? ExitCode.undecided : ExitCode.done;
}
