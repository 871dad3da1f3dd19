import type { Warning } from "@evenbench/report";
import { eventNotices, formatMs, formatPercent, gravestFirst } from "@evenbench/report/parts";
import type { LoadRun } from "@evenbench/results";
import type { StageSummary } from "../analysis/stage-summary.ts";
import { formatLoad } from "./format.ts";

/** Lateness of the client that matters: so much, and so great a part of the median latency. */
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
    remedy: "Look into the subject's log in the folder logs.",
    of: ({ stage }) => stage.ended,
  },
  {
    severity: "caution",
    title: "The client was late",
    remedy:
      "Latencies contain the client's own delay there. Offer less, free the client's core, or use a faster client machine.",
    of({ stage, latency }) {
      const { late, sent, client } = stage;
      if (late > sent * MOST_LATE_SENDS) return `${late} of ${sent} requests were sent more than 2 ms late`;
      const delay = client.eventLoopDelayP99Ms;
      if (
        latency === null ||
        delay === null ||
        delay <= LEAST_LATENESS_MS ||
        delay <= latency.p50 * MOST_LATENESS
      )
        return null;
      return `in 1 of 100 checks its event loop was ${formatMs(delay)} late, with a median latency of ${formatMs(latency.p50)}`;
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
    of: ({ errors, exchanges }) =>
      errors === 0
        ? null
        : `${errors} of ${errors + exchanges} (${formatPercent(errors / (errors + exchanges))})`,
  },
  {
    severity: "caution",
    title: "Requests were dropped",
    remedy: "More was offered than the subject could take: its latencies there grow with the stage's length.",
    // In a search that is a rate that did not hold, and no surprise.
    of: ({ stage, held }) =>
      stage.dropped === 0 || held !== null ? null : `${stage.dropped} were never sent`,
  },
];

const UNFINISHED: Warning = {
  severity: "void",
  title: "The load did not finish",
  details: ["Its process ended before it could say so, or still runs."],
  remedy: "What was measured until then is shown. Measure again for the whole.",
};

const FAILED: Warning = {
  severity: "void",
  title: "The load failed",
  details: ["It ended before all of its plan was measured."],
  remedy:
    "What was measured until then is shown. See the logs in the folder logs, and measure again for the whole.",
};

export function loadWarnings(
  run: LoadRun,
  summaries: readonly StageSummary[],
  damage: string | null,
): readonly Warning[] {
  const damaged: readonly Warning[] =
    damage === null
      ? []
      : [
          {
            severity: "void",
            title: "Samples are missing",
            details: [damage],
            remedy: "What stands before the damage is used.",
          },
        ];
  const unfinished = run.status === "running" ? [UNFINISHED] : run.status === "failed" ? [FAILED] : [];
  const fromStages = RULES.flatMap(({ of, ...rule }): Warning[] => {
    const details = summaries.flatMap((summary) => {
      const wrong = of(summary);
      const { subject, caseId, load, trial } = summary.stage;
      return wrong === null
        ? []
        : [`${subject} in ${caseId}, ${formatLoad(load)}, trial ${trial + 1}: ${wrong}.`];
    });
    return details.length === 0 ? [] : [{ ...rule, details }];
  });
  const all = [...damaged, ...unfinished, ...eventNotices(run.events), ...fromStages];
  return gravestFirst(all);
}
