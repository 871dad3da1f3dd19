// What each target took by itself.
import type { Run, RunTarget } from "@evenbench/results";
import { type CaseAnalysis, type ComparedCost, isTooSmall, type TargetSummary } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import { droppedFrom } from "../case-data.ts";
import type { Answer, Level, Metric } from "./facts.ts";
import { levelIn } from "./rows.ts";

/** The measured times of a case, in the order of facts. */
export function analysesOf({ lastByte, firstByte, cpuTime }: AnalysedCase): readonly CaseAnalysis[] {
  return [lastByte, firstByte, cpuTime].filter((analysis) => analysis !== null);
}

/** Lists what each target took in a case, metric by metric, in the order of its targets. */
export function levelsOf(report: AnalysedCase, run: Run): readonly Level[] {
  const level = levelIn(report.manifest.id);
  return [
    ...analysesOf(report).flatMap(({ summaries }) => summaries.map(levelOfSummary)),
    ...costsOf(report).map(({ target, metric, value }) => level(target, metric, value)),
    ...missingColdStarts(report, run),
    ...report.cpu.map(({ target, residentBytes }) => level(target, "memoryBytes", residentBytes)),
    ...(report.placed?.levels ?? []),
    ...report.providerCpu.map(({ target, msPerRequest, interval }) => ({
      ...level(target, "platformCpuMs", msPerRequest),
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    })),
  ];
}

/** Makes the levels of cold starts that were asked for and of which none of a target could be measured. */
function missingColdStarts({ manifest, targets, cold }: AnalysedCase, run: Run): readonly Level[] {
  // What was dropped is not started again.
  const known = new Set([...droppedFrom(run, manifest.id), ...cold.map(({ target }) => target)]);
  const isMissing = ({ name }: RunTarget) => targets.includes(name) && !known.has(name);
  const missing = run.plan.coldStarts > 0 ? missingOf(run, isMissing) : [];
  return missing.map((target) => notMeasured(manifest.id, target, "coldStartMs"));
}

/** Lists the targets that lack something that is measured behind the trials; none before these have ended. */
function missingOf({ plan, trialsEnded }: Run, isMissing: (target: RunTarget) => boolean): readonly string[] {
  return trialsEnded === true ? plan.targets.filter(isMissing).map(({ name }) => name) : [];
}

/** Makes the level of what was asked for and could not be measured. */
function notMeasured(caseId: string | null, target: string, metric: Metric): Level {
  return { ...levelIn(caseId)(target, metric, null), why: "not-measured" };
}

/** What a target took beside its times, and how that differs from the baseline; null where it is not compared. */
interface Cost {
  readonly target: string;
  readonly metric: Metric;
  readonly value: number | null;
  readonly compared: ComparedCost | null;
}

/** Lists what each target of a case took beside its times. */
export function costsOf({ cpuTime, cpu, computeTimes, cold, partTimes }: AnalysedCase): readonly Cost[] {
  // Where no single requests have CPU time, the account of whole trials has.
  const accounts = cpuTime === null ? cpu : [];
  return [
    ...accounts.map((cost) => ({ ...cost, metric: "cpuMs" as const, value: cost.msPerExchange })),
    ...computeTimes.map((cost) => ({ ...cost, metric: "computeMs" as const, value: cost.computeMs })),
    ...cold.map((cost) => ({ ...cost, metric: "coldStartMs" as const, value: cost.firstAnswerMs })),
    ...partTimes.flatMap((cost) => {
      const metric = METRIC_OF_PART[cost.part];
      return metric === null ? [] : { ...cost, metric, value: cost.ms };
    }),
  ];
}

/** The metric of each part of a body; null for its end, which is the time to the last byte. */
const METRIC_OF_PART = {
  first: "firstPartMs",
  half: "halfBodyMs",
  last: null,
} as const satisfies Readonly<Record<string, Metric | null>>;

/** Makes the level of a summary. */
export function levelOfSummary(summary: TargetSummary): Level {
  return {
    ...levelIn(summary.caseId)(summary.target, summary.metric, summary.medianMs),
    low: summary.medianLowMs,
    high: summary.medianHighMs,
    byTrial: summary.trialMs,
    p95: summary.p95Ms,
    p99: summary.p99Ms,
    why: summary.notWarm === null ? null : "not-warm",
  };
}

/** Makes the levels of starts: of the whole and of its parts, and of targets of which none could be measured. */
export function startUpLevels({ startUps, run }: Pick<AnalysedRun, "startUps" | "run">): readonly Level[] {
  const level = levelIn(null);
  const measured = startUps.flatMap(({ target, whole, compile, run: evaluation }) =>
    Object.entries({ startupCpuMs: whole, startupCompileMs: compile, startupRunMs: evaluation }).flatMap(
      ([metric, part]) =>
        part === null
          ? []
          : {
              ...level(target, metric as Metric, part.ms),
              low: part.interval?.low ?? null,
              high: part.interval?.high ?? null,
              byTrial: part.byStart,
              why: isTooSmall(part) ? ("too-small" as const) : null,
            },
    ),
  );
  const isMissing = ({ name, place, copyOf }: RunTarget) =>
    place === "local" && copyOf === null && startUps.every(({ target }) => target !== name);
  // Servers that commands start have no start that could be measured: where there are no others, nothing is said of it.
  const isTried = startUps.length > 0 || run.events.some(({ kind }) => kind === "start-up-failed");
  const missing = run.plan.startUps !== undefined && isTried ? missingOf(run, isMissing) : [];
  return [...measured, ...missing.map((name) => notMeasured(null, name, "startupCpuMs"))];
}

/** Lists what the targets of a case answered. */
export function answersOf(report: AnalysedCase): readonly Answer[] {
  const { manifest, targets, from } = report;
  const summaries = analysesOf(report)[0]?.summaries ?? [];
  const placed = (report.placed?.answers ?? []).map((answer) => ({ ...answer, from }));
  const all = targets.flatMap((target): readonly Answer[] => {
    const summary = summaries.find((each) => each.target === target);
    const response = report.responses.find((each) => each.target === target);
    if (summary === undefined) {
      return [];
    }
    const answer: Answer = {
      case: manifest.id,
      target,
      load: null,
      place: null,
      requests: summary.exchanges,
      failed: summary.errors,
      resent: response?.resent ?? 0,
      bytes: response?.bytes ?? null,
      from,
    };
    return [answer];
  });
  return [...all, ...placed];
}
