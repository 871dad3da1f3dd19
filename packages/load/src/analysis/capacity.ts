import { median } from "@evenbench/stats";
import { bracketOf } from "../plan/capacity-search.ts";
import type { StageSummary } from "./stage-summary.ts";

/** The highest rates at which a condition held. Requests per second. */
export interface Capacity {
  /** One for each trial; null where no rate held. */
  readonly byTrial: readonly (number | null)[];
  readonly perSecond: { readonly median: number; readonly least: number; readonly most: number } | null;
  /** Trials in which every rate held that was tried: there the capacity is higher. */
  readonly unbounded: number;
}

/** What the open-loop stages of one subject's searches show. */
export function findCapacity(stages: readonly StageSummary[]): Capacity {
  const tries = stages.flatMap(({ stage, held }) =>
    stage.load.kind === "open" && held !== null
      ? [{ trial: stage.trial, perSecond: stage.load.perSecond, held }]
      : [],
  );
  const brackets = [...Map.groupBy(tries, ({ trial }) => trial).values()].map(bracketOf);
  const held = brackets.flatMap((bracket) => bracket.held ?? []);
  return {
    byTrial: brackets.map((bracket) => bracket.held),
    perSecond:
      held.length === 0 ? null : { median: median(held), least: Math.min(...held), most: Math.max(...held) },
    unbounded: brackets.filter((bracket) => bracket.held !== null && bracket.failed === null).length,
  };
}
