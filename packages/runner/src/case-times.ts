import type { RunPlan } from "@evenbench/results";
import type { CaseTime } from "./case.ts";
import { type CaseCost, shareOfFirst, usualTotal } from "./plan.ts";

/**
 * Gives each case its time as its turn comes: what was asked for, or a share of what is left of the run's usual time. Counts from now on.
 *
 * @param isFixed whether the number of trials was asked for: then they are all measured, whatever they take.
 * @returns tells the time of the next case, in the order of the plan.
 */
export function divideAsTheyCome(
  { cases, caseBudgetMs }: Pick<RunPlan, "cases" | "caseBudgetMs">,
  costs: Readonly<Record<string, CaseCost>>,
  isFixed: boolean,
): () => CaseTime {
  const startedAt = performance.now();
  const toCome = cases.map(({ id }) => id);
  return () => {
    const leftMs = usualTotal(cases.length) - (performance.now() - startedAt);
    const shareMs = shareOfFirst(
      toCome.flatMap((id) => costs[id] ?? []),
      leftMs,
    );
    const budgetMs = caseBudgetMs[toCome.shift() ?? ""] ?? null;
    return { budgetMs, mostMs: budgetMs ?? (isFixed ? Number.POSITIVE_INFINITY : shareMs) };
  };
}
