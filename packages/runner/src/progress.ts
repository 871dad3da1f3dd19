import type { Progress, RunOptions } from "./options.ts";

const EVERY_MS = 200;

/** Tells the caller where a run is, with the time left, and no more often than a person can read. */
export interface ProgressReporter {
  /**
   * What each case may take, by case id, once it is known.
   *
   * @param trialsLeftMs where cases are measured in turns: what those trials take that are measured in any
   *   case, as of the start of the current one.
   */
  plan(caseBudgetMs: Readonly<Record<string, number>>, trialsLeftMs?: () => number): void;
  startCase(caseId: string): void;
  show(progress: Pick<Progress, "phase" | "caseId" | "trial" | "trials" | "roundIndex">): void;
}

export function progressReporter(
  onProgress: RunOptions["onProgress"],
  caseIds: readonly string[],
): ProgressReporter {
  let budgets: Readonly<Record<string, number>> | null = null;
  let caseIndex = 0;
  let caseStartedAt = 0;
  let inTurns: { readonly endsAt: number; readonly trialsLeftMs: () => number } | null = null;
  let lastPhase: Progress["phase"] | null = null;
  let lastShownAt = 0;

  /**
   * What is left of this case's time, and all of the later ones'; or of the time of all, but no less than the
   * trials take that come in any case.
   */
  function timeLeft(now: number): number | null {
    if (inTurns !== null)
      return Math.max(0, inTurns.endsAt - now, inTurns.trialsLeftMs() - (now - caseStartedAt));
    if (budgets === null) return null;
    const [current = 0, ...later] = caseIds.slice(caseIndex).map((id) => budgets?.[id] ?? 0);
    return Math.max(0, caseStartedAt + current - now) + later.reduce((sum, budget) => sum + budget, 0);
  }

  return {
    plan(caseBudgetMs, trialsLeftMs) {
      budgets = caseBudgetMs;
      const allMs = Object.values(caseBudgetMs).reduce((sum, ms) => sum + ms, 0);
      inTurns = trialsLeftMs === undefined ? null : { endsAt: performance.now() + allMs, trialsLeftMs };
    },
    startCase(caseId) {
      caseIndex = caseIds.indexOf(caseId);
      caseStartedAt = performance.now();
    },
    show(progress) {
      const now = performance.now();
      if (progress.phase === lastPhase && now - lastShownAt < EVERY_MS) return;
      lastPhase = progress.phase;
      lastShownAt = now;
      onProgress?.({ ...progress, caseIndex, caseCount: caseIds.length, etaMs: timeLeft(now) });
    },
  };
}
