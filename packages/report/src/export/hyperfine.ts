import type { Run, SampleTable } from "@evenbench/results";
import { mean, quantile, sorted } from "@evenbench/stats";
import { unprovenCases } from "../case-report.ts";

export interface HyperfineResult {
  readonly command: string;
  readonly mean: number;
  readonly stddev: number | null;
  readonly median: number;
  /** CPU time for one exchange. 0 where the system did not report it, as hyperfine's readers expect a number. */
  readonly user: number;
  readonly system: number;
  readonly min: number;
  readonly max: number;
  readonly times: readonly number[];
  readonly exit_codes: readonly number[];
  readonly parameters: Readonly<Record<string, string>>;
}

export function hyperfineExport(run: Run, samples: SampleTable): { readonly results: HyperfineResult[] } {
  const unproven = unprovenCases(run);
  const results = run.plan.cases.flatMap(({ id }) => {
    const measured = [...samples.ofCase(id)].filter(
      ({ phase, error }) => phase === "measure" && error === null,
    );
    return [...Map.groupBy(measured, ({ target }) => target)].map(([target, own]) => {
      const seconds = own.map(({ lastByteMs }) => (lastByteMs ?? 0) / 1000);
      const used = run.usage.filter((one) => one.caseId === id && one.target === target);
      return { ...resultOf(id, target, seconds, used), ...(unproven.has(id) && unprovenName(id, target)) };
    });
  });
  return { results };
}

/** A name is all that readers of this layout show. */
function unprovenName(caseId: string, target: string): Pick<HyperfineResult, "command"> {
  return { command: `${caseId} ${target} (the work was not proven equal)` };
}

function resultOf(
  caseId: string,
  target: string,
  times: readonly number[],
  used: Run["usage"],
): HyperfineResult {
  const average = mean(times);
  const ascending = sorted(times);
  const exchanges = used.reduce((sum, one) => sum + one.exchanges, 0);
  const cpuSeconds = (of: "userMs" | "systemMs") =>
    exchanges === 0 ? 0 : used.reduce((sum, one) => sum + (one[of] ?? 0), 0) / exchanges / 1000;
  const squares = times.reduce((sum, time) => sum + (time - average) ** 2, 0);
  return {
    command: `${caseId} ${target}`,
    mean: average,
    stddev: times.length < 2 ? null : Math.sqrt(squares / (times.length - 1)),
    median: quantile(ascending, 0.5),
    user: cpuSeconds("userMs"),
    system: cpuSeconds("systemMs"),
    min: quantile(ascending, 0),
    max: quantile(ascending, 1),
    times,
    exit_codes: times.map(() => 0),
    parameters: { case: caseId, target },
  };
}
