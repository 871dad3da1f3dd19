import {
  formatBytes,
  formatChange,
  formatCount,
  formatMs,
  formatMsInterval,
  formatPercent,
  markedChange,
  type Table,
  termCell,
} from "@evenbench/page";
import {
  BODY_PARTS,
  type BodyPart,
  type ColdStartCost,
  type Comparison,
  type PartTime,
  type RatioInterval,
} from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import type { TwoKinds } from "../kinds.ts";
import { caseWord } from "../notices.ts";
import { cpuCostOn } from "../prices.ts";
import { type Section, section } from "./section.ts";

/** Writes a target's ratio; "–" for the baseline. */
function changeFromBaseline(
  { target, ratio }: { readonly target: string; readonly ratio: RatioInterval | null },
  { baseline }: CaseReport,
): string {
  return target === baseline ? "–" : formatChange(ratio);
}

/** Section of CPU time and memory. */
export const cpu: Section = section({
  title: "CPU time",
  rows: (report) => report.cpu,
  columns: [
    [termCell("CPU time", "CPU time", " per request, mean"), (row) => formatMs(row.msPerExchange)],
    ["Ratio of means (99 % interval)", changeFromBaseline],
    [
      "Kernel",
      ({ systemShare, msPerExchange }) =>
        systemShare === null
          ? "–"
          : `${formatMs(msPerExchange * systemShare)} (${formatPercent(systemShare)})`,
    ],
    ["Page faults", ({ minorFaults }) => (minorFaults === null ? "–" : formatCount(Math.round(minorFaults)))],
    [
      "Memory resident (at its peak)",
      ({ residentBytes, peakResidentBytes: peak }) =>
        `${formatBytes(residentBytes)}${peak === null ? "" : ` (${formatBytes(peak)})`}`,
    ],
    ["CPU cost of a million", (row, _, data) => cpuCostOn(row.target, row.msPerExchange, data) ?? "–"],
  ],
  note: () =>
    "By the account of each trial as a whole. Verdicts compare the mean of its single requests, each since the end of the one before. Both include work between requests, such as garbage collection.",
});

/** Section of compute time: the time to the last byte less that of sending as many bytes. */
export const compute: Section = section({
  title: "Compute time",
  rows: ({ computeTimes }) => computeTimes,
  columns: [
    [
      termCell("Transfer time", "transfer time", ": the same bytes, nothing computed"),
      (row) => formatMs(row.transferMs),
    ],
    [termCell("Compute time", "compute time", ": last byte less transfer"), (row) => formatMs(row.computeMs)],
    ["Ratio (99 % interval)", changeFromBaseline],
  ],
});

/** The comparison of a row; undefined where it is compared with nothing. */
function comparedOf({
  ratio,
  verdict,
}: Pick<ColdStartCost, "ratio" | "verdict">): Pick<Comparison, "ratio" | "verdict"> | undefined {
  return verdict === null ? undefined : { ratio, verdict };
}

/**
 * A row for each case and target of which cold starts were measured, for texts that have no page of a case; null where
 * none were, or where the tables of an owner's app have them.
 */
export function coldStartTable(data: ReportData): Table | null {
  if (data.run.plan.ownApp !== undefined) {
    return null;
  }
  const rows = data.cases.flatMap((report) =>
    data.targets
      .filter(({ copyOf }) => copyOf === null)
      .flatMap((target): readonly (readonly string[])[] => {
        const cost = ofTarget(report.cold, target.name);
        if (cost === null) {
          return [];
        }
        const change = target.name === report.baseline ? "baseline" : markedChange(comparedOf(cost));
        return [[report.manifest.id, target.shown, formatMs(cost.firstAnswerMs), change]];
      }),
  );
  return rows.length === 0
    ? null
    : { head: [caseWord(data.run.plan), "platform", "cold start", "change"], rows, numeric: [2] };
}

/** The note that explains the numbers of `coldStartTable`. */
export const COLD_START_NOTE =
  "Cold start: from the start of a server's processes to the end of its first answer, on this machine.";

/** Section of cold starts. */
export const coldStarts: Section = section({
  title: "Cold starts",
  rows: (report) => report.cold,
  columns: [
    [termCell("Cold starts", "cold start"), (row) => formatCount(row.repetitions)],
    ["Start until ready", (row) => formatMs(row.readyMs)],
    ["First request", (row) => formatMs(row.firstMs)],
    ["Second request", (row) => formatMs(row.secondMs)],
    ["Until the first answer", (row) => formatMs(row.firstAnswerMs)],
    [
      "Change of that (99 % interval)",
      (row, { baseline }) => (row.target === baseline ? "–" : markedChange(comparedOf(row))),
    ],
  ],
});

/** Names of the parts in the head of the table. */
const PART_WORDS: Readonly<Record<BodyPart, string>> = {
  first: "First part",
  half: "Half of it",
  last: "All of it",
};

/** The times at which parts of one target's streamed body were there. A part that nobody saw is missing. */
interface Arrived {
  readonly target: string;
  readonly times: readonly PartTime[];
}

/** Finds the time of a part; undefined where nobody saw it. */
function timeOfPart(times: readonly PartTime[], part: BodyPart): PartTime | undefined {
  return times.find((time) => time.part === part);
}

/** Section of the times at which parts of a streamed body are there. */
export const parts: Section = section<Arrived>({
  title: "Arrival of the body",
  rows: ({ partTimes }) =>
    [...Map.groupBy(partTimes, ({ target }) => target)].map(([target, times]) => ({ target, times })),
  columns: BODY_PARTS.flatMap((part) => [
    [PART_WORDS[part], ({ times }: Arrived) => formatMs(timeOfPart(times, part)?.ms ?? null)] as const,
    [
      "Ratio (99 % interval)",
      ({ target, times }: Arrived, { baseline }: CaseReport) =>
        target === baseline ? "–" : markedChange(timeOfPart(times, part)),
    ] as const,
  ]),
  note: () =>
    "Time until a part of the streamed body is there, in some rounds after those that were timed. Verdicts as for times.",
});

/** Section of CPU time as platforms account for it. */
export const providerCpu: Section = section({
  title: "CPU time by platforms",
  rows: (report) => report.providerCpu,
  columns: [
    ["CPU time per request, by the platform", (row) => formatMs(row.msPerRequest)],
    [
      "99 % interval",
      ({ interval }) =>
        interval === null ? "–" : formatMsInterval(Math.max(0, interval.low), interval.high),
    ],
    [
      "Requests with an account",
      ({ joined, exchanges }) =>
        `${formatCount(joined)} of ${formatCount(exchanges)} (${formatPercent(joined / exchanges)})`,
    ],
    ["CPU cost of a million", (row, _, data) => cpuCostOn(row.target, row.msPerRequest, data) ?? "–"],
  ],
  note: (report) =>
    `Sources of CPU time: ${report.providerCpu.map(({ target, accountant }) => `${target}: ${accountant}`).join("; ")}. They count different things: compare figures of the same source. What has no figure was not sampled, not alone in its instance, or not reported yet; where few have one, the rest may differ.`,
});

/** Section of targets whose instances or requests come in two kinds. */
export const kinds: Section = section({
  title: "Kinds",
  remarks: (report) =>
    report.kinds.flatMap(({ target, ofInstances, ofExchanges }) => {
      const sentences = [
        ofInstances && `has two speeds of instances: ${levels(ofInstances)}.`,
        ofExchanges && `has two speeds of requests: ${levels(ofExchanges)}.`,
      ];
      return sentences.flatMap((sentence) => (sentence === null ? [] : [{ target, sentence }]));
    }),
});

/** Writes both levels, each with the share that is on it. */
function levels({ metric, lowMs, lowCount, highMs, highCount }: TwoKinds): string {
  const part = (ms: number, count: number) =>
    `${formatPercent(count / (lowCount + highCount))} take ${formatMs(ms)}`;
  return `${part(lowMs, lowCount)} and ${part(highMs, highCount)}${metric === "cpuMs" ? " of CPU time" : ""}`;
}
