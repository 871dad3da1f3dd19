import { ofTarget } from "../case-report.ts";
import type { CaseReport } from "../data.ts";
import { formatMs, formatPercent, formatRatio } from "../format.ts";
import type { TwoKinds } from "../kinds.ts";
import { section } from "./section.ts";

/** Where median and mean differ by more, the median does not say what a target costs. A fraction. */
const MUCH_HIDDEN = 0.15;

export const kinds = section({
  title: "Kinds",
  remarks: (report) =>
    report.kinds.flatMap(({ target, ofInstances, ofExchanges }) => {
      const sentences = [
        ofInstances && `instances come in two kinds, ${levels(ofInstances)}.`,
        ofExchanges && `requests come in two kinds, ${levels(ofExchanges)}.`,
        ofExchanges && hiddenCost(report, target),
      ];
      return sentences.flatMap((sentence) => (sentence === null ? [] : [{ target, sentence }]));
    }),
});

function levels({ metric, lowMs, lowCount, highMs, highCount }: TwoKinds): string {
  const part = (ms: number, count: number) =>
    `${formatMs(ms)} (${formatPercent(count / (lowCount + highCount))})`;
  return `${part(lowMs, lowCount)} and ${part(highMs, highCount)}${metric === "cpuMs" ? " of CPU time" : ""}`;
}

function hiddenCost(report: CaseReport, target: string): string | null {
  const { medianMs = null, meanMs = null } = ofTarget(report.cpuTime?.summaries, target) ?? {};
  if (medianMs === null || meanMs === null || Math.abs(meanMs / medianMs - 1) <= MUCH_HIDDEN) return null;
  const ratio = ofTarget(report.cpu, target)?.ratio ?? null;
  const against = ratio === null ? "" : `; the ratio of means to ${report.baseline} is ${formatRatio(ratio)}`;
  return `the median of its CPU time, ${formatMs(medianMs)}, hides what it costs: the mean is ${formatMs(meanMs)}${against}.`;
}
