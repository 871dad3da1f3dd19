// What a stage of a load says against itself.
import { type Notice, noticeAt } from "@evenbench/report";
import { loadOf } from "../offered.ts";
import type { StageSummary } from "../stage-summary.ts";

/** Milliseconds that the client's event loop may be late in any case. */
const TOLERATED_DELAY_MS = 2;
/** Share of the median latency that it may be late. */
const TOLERATED_DELAY_SHARE = 0.1;
/** Share of requests that may be sent late. */
const TOLERATED_LATE_SENDS = 0.01;

/** Lists what a stage says against itself. */
export function stageFindings(summary: StageSummary): readonly Notice[] {
  const { stage, errors, exchanges, isFailed, reconnected, commonError, held } = summary;
  const { caseId, target, trial, dropped, ended, late, sent } = stage;
  const failed = isFailed ? "case-failed" : "requests-failed";
  const place = { case: caseId, target, trial, load: loadOf(stage.load) };
  const at = (
    isSo: boolean,
    code: Parameters<typeof noticeAt>[0],
    numbers: Readonly<Record<string, number>> = {},
    quote: string | null = null,
  ): readonly Notice[] => (isSo ? [noticeAt(code, { ...place, numbers, quote })] : []);
  return [
    ...at(ended !== null, "stage-ended", {}, ended),
    ...at(late > sent * TOLERATED_LATE_SENDS, "client-late", { count: late, of: sent }),
    ...at(late <= sent * TOLERATED_LATE_SENDS && isClientSlow(summary), "client-late"),
    ...at(hasMoreWaited(summary), "more-waited"),
    ...at(errors > 0, failed, { count: errors, of: errors + exchanges }, commonError),
    ...at(reconnected > 0, "connections-closed", { count: reconnected, of: exchanges }),
    // In a search that is a rate that did not hold, and no surprise.
    ...at(dropped > 0 && held === null, "requests-dropped", { count: dropped }),
  ];
}

/** Tells whether the client's event loop was late by what a latency shows. */
function isClientSlow({ latency, stage: { client } }: StageSummary): boolean {
  const delayMs = client.eventLoopDelayP99Ms ?? 0;
  return latency !== null && delayMs > Math.max(TOLERATED_DELAY_MS, latency.p50 * TOLERATED_DELAY_SHARE);
}

/**
 * Tells whether more requests were under way than rate and time explain. The law is one of queues that do not grow:
 * what more is asked than can be answered is said otherwise.
 */
function hasMoreWaited({ holdsLittlesLaw, stage, held }: StageSummary): boolean {
  const grows = held === false || stage.queued > 0;
  return holdsLittlesLaw === false && !grows;
}
