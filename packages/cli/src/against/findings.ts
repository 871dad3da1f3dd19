import type { CaseReport, Report } from "@evenbench/report";
import { formatRatio, listed, textTable, VERDICTS } from "@evenbench/report/parts";

type Comparison = NonNullable<CaseReport["headline"]>["comparisons"][number];
type Verdict = Comparison["verdict"];
type RatioInterval = NonNullable<Comparison["ratio"]>;

export interface Finding {
  readonly caseId: string;
  readonly target: string;
  readonly verdict: Verdict;
  readonly ratio: RatioInterval | null;
  readonly cpuVerdict: Verdict | null;
  readonly cpuRatio: RatioInterval | null;
}

/** @param target the name that base and working copy share. */
export function findingsOf({ data }: Pick<Report, "data">, target: string): readonly Finding[] {
  return data.cases.flatMap(({ manifest, headline, cpuTime }) =>
    (headline?.comparisons ?? []).map((one) => {
      const cpu = cpuTime?.comparisons.find((other) => other.target === one.target) ?? null;
      return {
        caseId: manifest.id,
        target,
        verdict: one.verdict,
        ratio: one.ratio,
        cpuVerdict: cpu?.verdict ?? null,
        cpuRatio: cpu?.ratio ?? null,
      };
    }),
  );
}

/** "2 faster, 1 slower, 11 same, 1 inconclusive, 0 not warm" */
export function countsOf(verdicts: readonly Verdict[]): string {
  return VERDICTS.map((one) => {
    const count = verdicts.filter((verdict) => verdict === one).length;
    return `${count} ${one}`;
  }).join(", ");
}

/** What is said at the end: counts, a table, and what was not compared. Ends without a newline. */
export function renderFindings(
  findings: readonly Finding[],
  { equal, oneSided }: { readonly equal: readonly string[]; readonly oneSided: readonly string[] },
): string {
  const cpu = findings.flatMap(({ cpuVerdict }) => cpuVerdict ?? []);
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
    `${countsOf(findings.map(({ verdict }) => verdict))}${cpu.length === 0 ? "" : ` (CPU time: ${countsOf(cpu)})`}`,
    "",
    ...(rows.length === 0 ? [] : [...textTable({ head, rows }), ""]),
    ...(equal.length === 0 ? [] : [`Not measured, because equal byte for byte: ${listed(equal)}.`]),
    ...oneSided,
  ];
  return lines.join("\n").trimEnd();
}
