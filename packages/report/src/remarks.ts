import type { ExchangeMs, Metric, TwoKinds, WarmUpCurve } from "@evenbench/stats";
import { ofTarget } from "./case-report.ts";
import type { CaseReport } from "./data.ts";
import { formatMs, formatPercent, formatRatio } from "./format.ts";

/** Where median and mean differ by more, the median does not say what a target costs. A fraction. */
const MUCH_HIDDEN = 0.15;

export interface Remark {
  readonly target: string;
  readonly sentence: string;
}

export function kindRemarks(report: CaseReport): readonly Remark[] {
  return report.kinds.flatMap((one) => {
    const { target } = one;
    const sentences = [
      one.ofInstances && `instances come in two kinds, ${levels(one.ofInstances, one.metric)}.`,
      one.ofExchanges && `requests come in two kinds, ${levels(one.ofExchanges, one.metric)}.`,
      hiddenCost(report, target),
    ].filter((sentence) => sentence !== null);
    return sentences.map((sentence) => ({ target, sentence }));
  });
}

function levels({ low, high }: TwoKinds, metric: Metric): string {
  const part = ({ level, count }: TwoKinds["low"]) =>
    `${formatMs(level)} (${formatPercent(count / (low.count + high.count))})`;
  return `${part(low)} and ${part(high)}${metric === "cpuMs" ? " of CPU time" : ""}`;
}

function hiddenCost(report: CaseReport, target: string): string | null {
  const kinds = ofTarget(report.kinds, target);
  const summary = ofTarget(report.cpuTime?.summaries, target);
  if (kinds?.ofExchanges == null || summary?.median == null || summary.mean === null) return null;
  if (Math.abs(summary.mean / summary.median - 1) <= MUCH_HIDDEN) return null;
  const ratio = ofTarget(report.cpu, target)?.ratio ?? null;
  const against = ratio === null ? "" : `; the ratio of means to ${report.baseline} is ${formatRatio(ratio)}`;
  return `the median of its CPU time, ${formatMs(summary.median)}, hides what it costs: the mean is ${formatMs(summary.mean)}${against}.`;
}

export function timeAndCpu({ lastByteMs, cpuMs }: ExchangeMs): string {
  const told = (ms: number | null) => (ms !== null && ms <= 0 ? "nothing" : formatMs(ms));
  return `${told(lastByteMs)}${cpuMs === null ? "" : ` (CPU time ${told(cpuMs)})`}`;
}

export function warmUpRemarks({ curves }: CaseReport, copies: ReadonlySet<string>): readonly Remark[] {
  return curves.flatMap((curve) => {
    const sentence = copies.has(curve.target) ? null : describe(curve);
    return sentence === null ? [] : [{ target: curve.target, sentence }];
  });
}

function describe({ warmFrom, first }: WarmUpCurve): string | null {
  const known = first.filter(({ lastByteMs }) => lastByteMs !== null);
  const costs = known.map(({ exchanges, ...ms }, index) => {
    const ofWhat = warmFrom === null && index === 0 ? " requests of a fresh instance" : "";
    return `the first ${exchanges}${ofWhat} cost ${timeAndCpu(ms)} beyond warm ones`;
  });
  const from = warmFrom === null ? [] : [`is warm from request ${warmFrom} of a fresh instance`];
  const said = [...from, ...(costs.length === 0 ? [] : [costs.join(", ")])];
  return said.length === 0 ? null : `${said.join("; ")}.`;
}
