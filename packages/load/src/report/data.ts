import type { CaseManifest } from "@evenbench/core";
import {
  byPlatform,
  counted,
  eventNotices,
  formatCount,
  formatMs,
  formatPercent,
  gravestFirst,
  platformColours,
  recordNotices,
  type Warning,
} from "@evenbench/report";
import {
  type LatencyCondition,
  type LoadRun,
  type LoadTarget,
  type OfferedLoad,
  readLoad,
} from "@evenbench/results";
import {
  type Capacity,
  findCapacity,
  findSaturation,
  type Saturation,
  type StageSummary,
  StageTally,
} from "../analysis.ts";
import { formatCondition } from "../condition.ts";

export interface LoadData {
  readonly run: LoadRun;
  readonly warnings: readonly Warning[];
  readonly cases: readonly CaseLoadReport[];
}

export interface CaseLoadReport {
  readonly manifest: CaseManifest;
  readonly targets: readonly TargetReport[];
}

interface TargetReport {
  readonly target: LoadTarget;
  readonly colour: number;
  /** How many targets before it have that colour: lines of one colour differ by their dashes. */
  readonly before: number;
  readonly stages: readonly StageSummary[];
  readonly saturation: Saturation | null;
  readonly capacity: Capacity | null;
}

export async function readLoadData(folder: string): Promise<LoadData> {
  const tallies = new Map<number, StageTally>();
  const { run, damage } = await readLoad(folder, (sample) => {
    const tally = tallies.get(sample.stage) ?? new StageTally();
    tallies.set(sample.stage, tally);
    tally.push(sample);
  });
  const { condition, targets, cases } = run.plan;
  const stages = run.stages.map((stage, index) =>
    (tallies.get(index) ?? new StageTally()).summarise(stage, condition),
  );
  const reportOf = (shown: Coloured, caseId: string): TargetReport[] => {
    const own = stages.filter(
      ({ stage, held }) =>
        stage.caseId === caseId &&
        stage.target === shown.target.name &&
        // The closed loop with which a search begins only says where.
        (held === null || stage.load.kind === "open"),
    );
    const saturation = condition === null ? findSaturation(own) : null;
    const capacity = condition === null ? null : findCapacity(own);
    return own.length === 0 ? [] : [{ ...shown, stages: own, saturation, capacity }];
  };
  return {
    run,
    warnings: loadWarnings(run, stages, damage),
    cases: cases.map((manifest) => ({
      manifest,
      targets: coloured(targets).flatMap((shown) => reportOf(shown, manifest.id)),
    })),
  };
}

type Coloured = Pick<TargetReport, "target" | "colour" | "before">;

function coloured(targets: readonly LoadTarget[]): readonly Coloured[] {
  const placed = targets.map((target) => ({ ...target.target, name: target.name, target }));
  const colours = platformColours(placed);
  const seen = new Map<number, number>();
  return placed.toSorted(byPlatform).map(({ name, target }) => {
    const colour = colours.get(name) ?? 0;
    const before = seen.get(colour) ?? 0;
    seen.set(colour, before + 1);
    return { target, colour, before };
  });
}

const LEAST_LATENESS_MS = 2;
const MOST_LATENESS = 0.1;
const MOST_LATE_SENDS = 0.01;

type Rule = Pick<Warning, "severity" | "title" | "remedy"> & {
  of(summary: StageSummary): string | null;
};

const RULES: readonly Rule[] = [
  {
    severity: "void",
    title: "A stage ended early",
    remedy: "Read the target's log in logs/.",
    of: ({ stage }) => stage.ended,
  },
  {
    severity: "caution",
    title: "The client was late",
    remedy:
      "Latencies contain the client's own delay there. Offer less, free the client's core, or use a faster client machine.",
    of({ stage: { late, sent, client }, latency }) {
      if (late > sent * MOST_LATE_SENDS) return `${late} of ${sent} requests were sent more than 2 ms late`;
      const delayMs = client.eventLoopDelayP99Ms ?? 0;
      if (latency === null || delayMs <= Math.max(LEAST_LATENESS_MS, latency.p50 * MOST_LATENESS))
        return null;
      return `in 1 of 100 checks its event loop was ${formatMs(delayMs)} late, with a median latency of ${formatMs(latency.p50)}`;
    },
  },
  {
    severity: "caution",
    title: "Little's law does not hold",
    remedy:
      "The client's time stamps miss a part of what requests waited: read these stages' latencies as too small.",
    of({ little, stage, held }) {
      // The law is one of queues that do not grow: what more is asked than can be answered is said otherwise.
      const grows = held === false || stage.queued > 0;
      if (little === null || little.holds || grows) return null;
      return `${little.counted.toFixed(2)} requests were under way, where rate × time gives ${little.expected.toFixed(2)}`;
    },
  },
  {
    severity: "caution",
    title: "Requests failed",
    remedy: "They are in no latency. The samples have the reason of each.",
    of({ errors, exchanges }) {
      const all = errors + exchanges;
      return errors === 0 ? null : `${errors} of ${all} (${formatPercent(errors / all)})`;
    },
  },
  {
    severity: "caution",
    title: "Requests were dropped",
    remedy: "More was offered than the target could take: its latencies there grow with the stage's length.",
    // In a search that is a rate that did not hold, and no surprise.
    of: ({ stage, held }) =>
      stage.dropped === 0 || held !== null ? null : `${stage.dropped} were never sent`,
  },
];

function loadWarnings(
  run: LoadRun,
  summaries: readonly StageSummary[],
  damage: string | null,
): readonly Warning[] {
  const fromStages = RULES.flatMap(({ of, ...rule }): Warning[] => {
    const details = summaries.flatMap((summary) => {
      const wrong = of(summary);
      const { target, caseId, load, trial } = summary.stage;
      return wrong === null
        ? []
        : [`${target} in ${caseId}, ${formatLoad(load)}, trial ${trial + 1}: ${wrong}.`];
    });
    return details.length === 0 ? [] : [{ ...rule, details }];
  });
  return gravestFirst([
    ...recordNotices(run, damage === null ? [] : [damage], "load"),
    ...eventNotices(run.events),
    ...fromStages,
  ]);
}

export function formatLoad(load: OfferedLoad): string {
  return load.kind === "closed" ? `concurrency ${load.connections}` : `${formatRate(load.perSecond)}/s`;
}

export function offeredBy(load: OfferedLoad): number {
  return load.kind === "closed" ? load.connections : load.perSecond;
}

export function formatRate(perSecond: number): string {
  if (perSecond >= 999.5) return formatCount(Number(perSecond.toPrecision(3)));
  return String(Number(perSecond.toPrecision(3)));
}

export function describeTarget({ instances, workers, parameters }: LoadTarget): string {
  const parts = [
    ...(instances === 1 ? [] : [counted(instances, "instance")]),
    ...(workers === 1 ? [] : [counted(workers, "worker")]),
    ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.join(", ");
}

export function describeClient({ plan: { engine }, machine, clients }: LoadRun): string {
  const program =
    engine === null ? `Node.js ${machine?.clientNode ?? ""}` : `${engine.name} ${engine.version}`;
  if (clients === undefined) return program;
  return `${program} on ${counted(clients.length, "machine")} (${clients.map(({ name }) => name).join(", ")})`;
}

export interface Finding {
  readonly target: string;
  readonly colour: number;
  readonly sentence: string;
}

export function findingsOf(report: CaseLoadReport, condition: LatencyCondition | null): readonly Finding[] {
  return report.targets.flatMap((one): Finding[] => {
    const sentence = condition === null ? saturationSentence(one) : capacitySentence(one, condition);
    return sentence === null ? [] : [{ target: one.target.name, colour: one.colour, sentence }];
  });
}

function saturationSentence({ saturation }: TargetReport): string | null {
  if (saturation === null || saturation.levels.length < 2) return null;
  const { atATime, mostPerSecond, queuesFrom, levels } = saturation;
  const [first, last] = [levels[0], levels.at(-1)];
  const waits =
    queuesFrom === null
      ? `no queueing detected up to a concurrency of ${last?.connections}`
      : `requests wait from a concurrency of ${queuesFrom} on`;
  return `works on ${atATime.toFixed(1)} requests at a time and gives ${formatRate(mostPerSecond)} answers/s at most; ${waits} (median ${formatMs(first?.p50 ?? null)} at ${first?.connections}, ${formatMs(last?.p50 ?? null)} at ${last?.connections}).`;
}

function capacitySentence({ capacity }: TargetReport, condition: LatencyCondition): string | null {
  if (capacity === null) return null;
  const { perSecond, byTrial, unbounded } = capacity;
  const held = formatCondition(condition);
  if (perSecond === null) return `did not hold ${held} at any rate that was tried.`;
  const { median, least, most } = perSecond;
  if (byTrial.length === 1 && unbounded === 0)
    return `holds ${held} up to ${formatRate(median)} requests/s in one trial.`;
  const missing = byTrial.filter((one) => one === null).length;
  const none = missing === 0 ? "" : `; in ${missing} of them no rate held`;
  const more =
    unbounded === 0 ? "" : `; in ${unbounded} of them every rate held that was tried, so it can do more`;
  return `holds ${held} up to ${formatRate(median)} requests/s (${formatRate(least)}–${formatRate(most)} over ${byTrial.length} trials${none}${more}).`;
}
