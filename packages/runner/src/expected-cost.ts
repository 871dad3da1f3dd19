import type { CaseManifest, Identity } from "@evenbench/core";
import type { CaseCost } from "./plan.ts";
import type { UsualNeed } from "./remembered-needs.ts";
import type { Subject } from "./targets.ts";
import { LEAST_SEARCH_EXCHANGES } from "./warm-up.ts";
import type { WarmUpNeeds } from "./warm-up-needs.ts";
import { LONGEST_SEARCH } from "./warm-up-needs.ts";

/**
 * A warm exchange takes about this part of one of the first, which preflight saw; one that takes long is warm
 * before it ends.
 */
const WARM_SHARE = 0.4;
const LONG_EXCHANGE_MS = 200;
const WARM_SHARE_OF_LONG = 0.9;
/** Until more is known: instances are warm after this part of the longest search. */
const NEEDED_SHARE = 0.3;

/** What preflight saw: milliseconds of one exchange by target name, and of the start of all targets together. */
export interface SeenTimes {
  readonly exchangeMs: Readonly<Record<string, number>>;
  readonly startMs: number;
}

/**
 * What a case will take, from what is known of its targets' warm-up, and from what preflight saw where
 * nothing is.
 *
 * @param pauseMs before each measured exchange.
 */
export function expectCost(
  subjects: readonly Subject[],
  needs: WarmUpNeeds,
  { exchangeMs, startMs }: SeenTimes,
  pauseMs = 0,
): CaseCost {
  let [roundMs, warmUpMs, searchMs] = [0, 0, 0];
  for (const subject of subjects) {
    const name = subject.copyOf ?? subject.name;
    const warmMs = needs.known.get(name)?.ms ?? warmGuess(exchangeMs[name] ?? 0);
    roundMs += warmMs + pauseMs;
    const { exchanges, isSearch } = needs.of(subject);
    const longestMs = isSearch ? longestSearchMs(warmMs) : exchanges * warmMs;
    warmUpMs += isSearch ? NEEDED_SHARE * longestMs : longestMs;
    // The copy gets what its original was found to need.
    searchMs += isSearch && subject.copyOf === null ? (1 - NEEDED_SHARE) * longestMs : 0;
  }
  return { roundMs, startMs, warmUpMs, searchMs };
}

/**
 * What the repository says a target needs in a case.
 *
 * @param exchangeMs of one of its first exchanges, as preflight saw it.
 */
export function usualNeed(
  { warmAfter }: CaseManifest,
  { platform }: Identity,
  exchangeMs = 0,
): UsualNeed | null {
  const exchanges = warmAfter?.[platform];
  return exchanges === undefined ? null : { exchanges, ms: warmGuess(exchangeMs) };
}

function warmGuess(exchangeMs: number): number {
  return exchangeMs * (exchangeMs > LONG_EXCHANGE_MS ? WARM_SHARE_OF_LONG : WARM_SHARE);
}

function longestSearchMs(warmMs: number): number {
  const { exchanges, costMs } = LONGEST_SEARCH;
  return Math.max(LEAST_SEARCH_EXCHANGES * warmMs, Math.min(exchanges * warmMs, costMs));
}
