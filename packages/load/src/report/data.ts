import {
  cautionNotice,
  counted,
  formatCount,
  formatMs,
  formatPercent,
  gravestFirst,
  markWords,
  type Notice,
  type NoticeKind,
  noticesOf,
  voidNotice,
} from "@evenbench/page";
import {
  byPlatform,
  coreNotices,
  describeResent,
  EVENT_NOTICES,
  eventNotices,
  type ReportTarget,
  recordNotices,
  shownTargets,
} from "@evenbench/report";
import {
  type LoadRun,
  type LoadSample,
  type LoadTarget,
  type OfferedLoad,
  type ReadLoad,
  readLoad,
} from "@evenbench/results";
import { type Capacity, findCapacity } from "../capacity.ts";
import { formatCondition } from "../condition.ts";
import { findSaturation, type Saturation } from "../saturation.ts";
import { type StageSummary, summarise } from "../stage-summary.ts";

/** The contents of a load's report. */
export interface LoadData {
  readonly run: LoadRun;
  /** The damage of the samples, in words; null where all can be read. */
  readonly damage: string | null;
  /** Notices that a reader has to know of, the gravest first. */
  readonly notices: readonly Notice[];
  readonly cases: readonly CaseLoadReport[];
}

/** The part of a load's report on one case. */
export interface CaseLoadReport {
  readonly manifest: LoadRun["plan"]["cases"][number];
  /** The targets of all cases, by which each has the same line in every figure. */
  readonly ofAllCases: readonly ShownTarget[];
  /** The targets that answered. */
  readonly targets: readonly TargetReport[];
  /** A sentence for each target of which there is something to say. */
  readonly findings: readonly LoadFinding[];
}

/** The finding on one target. */
interface LoadFinding {
  readonly target: ShownTarget;
  /** The sentence behind the target's name. */
  readonly sentence: string;
}

/** The stages of one target in a case. */
export interface TargetReport {
  readonly target: ShownTarget;
  readonly stages: readonly StageSummary[];
  /** The saturation; null in a search, and where no request was alone. */
  readonly saturation: Saturation | null;
  /** The capacity; null but in a search. */
  readonly capacity: Capacity | null;
}

/** A target with its colour and its name in sentences. */
type ShownTarget = LoadTarget & Pick<ReportTarget, "colour" | "shown" | "spoken">;

/**
 * Reads the folder of a load, and makes the contents of its report.
 *
 * @throws {ResultsError} when it cannot be read.
 */
export async function readLoadData(folder: string): Promise<LoadData> {
  const { run, damage, stages } = await readStages(folder);
  // By these targets and their order each has the same line in every figure.
  const ofAllCases = shownTargets(run.plan.targets).toSorted(byPlatform);
  return {
    run,
    damage,
    notices: loadNotices(run, stages, damage),
    cases: run.plan.cases.map((manifest) => caseLoadReportOf(manifest, run, stages, ofAllCases)),
  };
}

/** Makes the part of the report on one case. @param stages those of all cases. */
function caseLoadReportOf(
  manifest: CaseLoadReport["manifest"],
  { plan: { condition }, events }: LoadRun,
  stages: readonly StageSummary[],
  ofAllCases: readonly ShownTarget[],
): CaseLoadReport {
  const ofCase = stages.filter(({ stage }) => stage.caseId === manifest.id);
  const targets: TargetReport[] = [];
  for (const target of ofAllCases) {
    const summaries = ofCase.filter(({ stage }) => stage.target === target.name);
    // The closed loop with which a search begins only says at which rate it begins.
    const shown = summaries.filter(({ held, stage }) => held === null || stage.load.kind === "open");
    if (shown.length > 0) {
      targets.push(reportTarget(target, shown, condition === null));
    }
  }
  const failures = events.filter(({ kind, caseId }) => kind === "case-failed" && caseId === manifest.id);
  const failed = new Set(failures.map(({ target }) => target));
  const findings: LoadFinding[] = [];
  for (const report of targets) {
    if (failed.has(report.target.name)) {
      continue;
    }
    const sentence =
      condition === null ? saturationSentence(report) : capacitySentence(report, formatCondition(condition));
    if (sentence !== null) {
      findings.push({ target: report.target, sentence });
    }
  }
  for (const target of ofAllCases.filter(({ name }) => failed.has(name))) {
    findings.push({ target, sentence: NO_RESULT });
  }
  return { manifest, ofAllCases, targets, findings };
}

/** A load run that was read, with the summary of each of its stages. */
interface ReadStages extends ReadLoad {
  readonly stages: readonly StageSummary[];
}

/** Reads the folder of a load stage by stage: no more than the samples of one are kept. */
async function readStages(folder: string): Promise<ReadStages> {
  const summaries = new Map<number, StageSummary>();
  let ofStage: LoadSample[] = [];
  const summariseStage = ({ stages, plan }: LoadRun): void => {
    const index = ofStage[0]?.stage ?? 0;
    const stage = stages[index];
    if (stage !== undefined) {
      summaries.set(index, summarise(stage, ofStage, plan.condition));
    }
    ofStage = [];
  };
  const { run, damage } = await readLoad(folder, (sample, run) => {
    if (ofStage[0] !== undefined && ofStage[0].stage !== sample.stage) {
      summariseStage(run);
    }
    ofStage.push(sample);
  });
  if (ofStage.length > 0) {
    summariseStage(run);
  }
  const { condition } = run.plan;
  const stages = run.stages.map((stage, index) => summaries.get(index) ?? summarise(stage, [], condition));
  return { run, damage, stages };
}

/** Makes the part of the report on one target. */
function reportTarget(target: ShownTarget, stages: readonly StageSummary[], isSweep: boolean): TargetReport {
  const saturation = isSweep ? findSaturation(stages) : null;
  return { target, stages, saturation, capacity: isSweep ? null : findCapacity(stages) };
}

/** The finding on a target without an answer. */
const NO_RESULT = `${markWords("no result")}: no request to it was answered.`;

/** Milliseconds that the client's event loop may be late in any case. */
const TOLERATED_DELAY_MS = 2;
/** Share of the median latency that it may be late. */
const TOLERATED_DELAY_SHARE = 0.1;
/** Share of requests that may be sent late. */
const TOLERATED_LATE_SENDS = 0.01;

/** Checks of a stage, each with its notice: it gives the details, or null where all is well. */
const STAGE_CHECKS: readonly (readonly [NoticeKind, (summary: StageSummary) => string | null])[] = [
  [voidNotice("A stage ended early", "Read the target's log in logs/."), ({ stage }) => stage.ended],
  [
    cautionNotice(
      "The client was late",
      "Latencies contain the client's own delay there. Offer less, free the client's core, or use a faster client machine.",
    ),
    ({ stage: { late, sent, client }, latency }) => {
      if (late > sent * TOLERATED_LATE_SENDS) {
        return `${late} of ${sent} requests were sent more than 2 ms late`;
      }
      const delayMs = client.eventLoopDelayP99Ms ?? 0;
      if (latency === null || delayMs <= Math.max(TOLERATED_DELAY_MS, latency.p50 * TOLERATED_DELAY_SHARE)) {
        return null;
      }
      return `in 1 of 100 checks its event loop was ${formatMs(delayMs)} late, with a median latency of ${formatMs(latency.p50)}`;
    },
  ],
  [
    cautionNotice(
      "Little's law does not hold",
      "The client's time stamps miss a part of what requests waited: read these stages' latencies as too small.",
    ),
    ({ little, stage, held }) => {
      // The law is one of queues that do not grow: what more is asked than can be answered is said otherwise.
      const grows = held === false || stage.queued > 0;
      if (little === null || little.holds || grows) {
        return null;
      }
      return `${little.counted.toFixed(2)} requests were under way, where rate × time gives ${little.expected.toFixed(2)}`;
    },
  ],
  [
    cautionNotice("Requests failed", "They are in no latency. The samples have the reason of each."),
    ({ errors, commonError, exchanges }) => {
      const all = errors + exchanges;
      if (commonError === null) {
        return null;
      }
      return `${errors} of ${all} (${formatPercent(errors / all)}), most of them ${commonError}`;
    },
  ],
  [
    cautionNotice(
      "Connections did not stay open",
      "The target ended them. Let it keep connections open: a request on a new connection takes longer, and costs the target more.",
    ),
    ({ reconnected, resent, exchanges }) => {
      if (reconnected === 0) {
        return null;
      }
      return `it needed a new connection for ${reconnected} of ${exchanges} requests${describeResent(resent)}`;
    },
  ],
  [
    cautionNotice(
      "Requests were dropped",
      "More was offered than the target could take: its latencies there grow with the stage's length.",
    ),
    // In a search that is a rate that did not hold, and no surprise.
    ({ stage, held }) => (stage.dropped === 0 || held !== null ? null : `${stage.dropped} were never sent`),
  ],
];

/** The notice of another run on the machine. A load has no verdicts and intervals, of which a run's own speaks. */
const OTHER_RUN: NoticeKind = {
  ...EVENT_NOTICES["other-run-active"],
  remedy: "Rates may be lower for it, and latencies longer. Load again while nothing else runs.",
};

/** Collects all notices of a load. */
function loadNotices(
  run: LoadRun,
  summaries: readonly StageSummary[],
  damage: string | null,
): readonly Notice[] {
  const fromStages = STAGE_CHECKS.flatMap(([notice, detailOf]) =>
    noticesOf(
      notice,
      summaries.flatMap((summary) => {
        const wrong = detailOf(summary);
        const { target, caseId, load, trial } = summary.stage;
        if (wrong === null) {
          return [];
        }
        return [`${target} in ${caseId}, ${formatLoad(load)}, trial ${trial + 1}: ${wrong}.`];
      }),
    ),
  );
  return gravestFirst([
    ...recordNotices(run, damage === null ? [] : [damage], "load"),
    ...eventNotices(run.events, { "other-run-active": OTHER_RUN }),
    ...fromStages,
    ...coreNotices(run.plan, run.machine),
  ]);
}

/** Writes a load: "concurrency 8" or "120/s". */
export function formatLoad(load: OfferedLoad): string {
  return load.kind === "closed" ? `concurrency ${load.connections}` : `${formatRate(load.perSecond)}/s`;
}

/** Gives the amount of a load: its concurrency, or its requests per second. */
export function offeredBy(load: OfferedLoad): number {
  return load.kind === "closed" ? load.connections : load.perSecond;
}

/** Writes a rate with three digits, without a unit. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 999.5) {
    return formatCount(Number(perSecond.toPrecision(3)));
  }
  return String(Number(perSecond.toPrecision(3)));
}

/** Writes the number of a target's instances and workers, where it is not one: "2 instances, 4 workers". */
export function describeInstances({ instances, workers }: LoadTarget): string {
  const parts = [
    ...(instances === 1 ? [] : [counted(instances, "instance")]),
    ...(workers === 1 ? [] : [counted(workers, "worker")]),
  ];
  return parts.join(", ");
}

/** Names the program that sent a load, and the machines that it ran on. */
export function describeClient({ plan: { engine }, machine, clients }: LoadRun): string {
  const program =
    engine === null ? `Node.js ${machine?.clientNode ?? ""}` : `${engine.name} ${engine.version}`;
  if (clients === undefined) {
    return program;
  }
  return `${program} on ${counted(clients.length, "machine")} (${clients.map(({ name }) => name).join(", ")})`;
}

function saturationSentence({ saturation }: TargetReport): string | null {
  if (saturation === null || saturation.levels.length < 2) {
    return null;
  }
  const { atATime, mostPerSecond, queuesFrom, levels } = saturation;
  const first = levels[0];
  const last = levels.at(-1);
  const waits =
    queuesFrom === null
      ? `no queueing was seen with up to ${last?.connections} at a time`
      : `with ${queuesFrom} or more at a time requests wait`;
  const medians = `median ${formatMs(first?.p50 ?? null)} with ${first?.connections}, ${formatMs(last?.p50 ?? null)} with ${last?.connections}`;
  return `answers about ${formatRate(mostPerSecond)} requests a second at most, ${atATime.toFixed(1)} at a time; ${waits} (${medians}).`;
}

function capacitySentence({ capacity }: TargetReport, held: string): string | null {
  if (capacity === null) {
    return null;
  }
  const { perSecond, byTrial, unbounded, undecided } = capacity;
  if (undecided > 0) {
    return `was not decided: in ${undecided} trials a stage had too few requests for ${held}. Give it more --time.`;
  }
  if (perSecond === null) {
    const missing = byTrial.filter((rate) => rate === null).length;
    return `did not hold ${held} in ${missing} of ${byTrial.length} trials, at any rate that was tried.`;
  }
  const { median, least, most } = perSecond;
  if (byTrial.length === 1 && unbounded === 0) {
    return `holds ${held} up to ${formatRate(median)} requests/s in one trial.`;
  }
  const more =
    unbounded === 0 ? "" : `; in ${unbounded} of them every rate held that was tried, so it can do more`;
  return `holds ${held} up to ${formatRate(median)} requests/s (${formatRate(least)}–${formatRate(most)} over ${byTrial.length} trials${more}).`;
}
