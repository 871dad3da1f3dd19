import type { CaseManifest } from "@evenbench/core";
import type { Warning } from "@evenbench/report";
import {
  byPlatform,
  eventNotices,
  formatMs,
  formatPercent,
  gravestFirst,
  platformColours,
  recordNotices,
} from "@evenbench/report/parts";
import { type LoadRun, type LoadTarget, readLoad } from "@evenbench/results";
import { type Capacity, findCapacity, findSaturation, type Saturation } from "../analysis/saturation.ts";
import { type StageSummary, StageTally } from "../analysis/stage-summary.ts";
import { formatLoad } from "./format.ts";

export interface LoadData {
  readonly run: LoadRun;
  readonly warnings: readonly Warning[];
  readonly cases: readonly CaseLoadReport[];
}

export interface CaseLoadReport {
  readonly manifest: CaseManifest;
  readonly targets: readonly TargetReport[];
}

export interface TargetReport {
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
