import { formatMs } from "@evenbench/report/parts";
import type { LatencyCondition } from "@evenbench/results";
import { formatCondition } from "../plan/condition.ts";
import type { CaseLoadReport, SubjectReport } from "./data.ts";
import { formatRate } from "./format.ts";

/** What was found out about a subject, as the end of a sentence that begins with its name. */
export interface Finding {
  readonly subject: string;
  readonly colour: number;
  readonly sentence: string;
}

export function findingsOf(report: CaseLoadReport, condition: LatencyCondition | null): readonly Finding[] {
  return report.subjects.flatMap((one): Finding[] => {
    const sentence = condition === null ? saturationSentence(one) : capacitySentence(one, condition);
    return sentence === null ? [] : [{ subject: one.subject.name, colour: one.colour, sentence }];
  });
}

function saturationSentence({ saturation }: SubjectReport): string | null {
  if (saturation === null || saturation.levels.length < 2) return null;
  const { atATime, mostPerSecond, queuesFrom, levels } = saturation;
  const [first, last] = [levels[0], levels.at(-1)];
  const waits =
    queuesFrom === null
      ? `no wait is certain up to a concurrency of ${last?.connections}`
      : `requests wait from a concurrency of ${queuesFrom} on`;
  return `works on ${atATime.toFixed(1)} requests at a time and gives ${formatRate(mostPerSecond)} answers/s at most; ${waits} (median ${formatMs(first?.p50 ?? null)} at ${first?.connections}, ${formatMs(last?.p50 ?? null)} at ${last?.connections}).`;
}

function capacitySentence({ capacity }: SubjectReport, condition: LatencyCondition): string | null {
  if (capacity === null) return null;
  const { perSecond, byTrial, unbounded } = capacity;
  const held = formatCondition(condition);
  if (perSecond === null) return `held ${held} at no rate that was tried.`;
  const { median, least, most } = perSecond;
  if (byTrial.length === 1 && unbounded === 0)
    return `holds ${held} up to ${formatRate(median)} requests/s in one trial.`;
  const trials = `over ${byTrial.length} trials`;
  const missing = byTrial.filter((one) => one === null).length;
  const none = missing === 0 ? "" : `; in ${missing} of them no rate held`;
  const more =
    unbounded === 0 ? "" : `; in ${unbounded} of them every rate held that was tried, so it can do more`;
  return `holds ${held} up to ${formatRate(median)} requests/s (${formatRate(least)}–${formatRate(most)} ${trials}${none}${more}).`;
}
