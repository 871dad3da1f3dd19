// Why a target was not warm, in words.
import { formatPercent } from "@evenbench/page";
import type { ColdTarget, WhyCold } from "@evenbench/stats";

/** Says why an instance was not warm: "fell by 25 % after 12 rounds". */
export function coldWords(why: WhyCold): string {
  switch (why.code) {
    case "fell":
      return `fell by ${formatPercent(why.by)} ${why.afterRounds === null ? "from its first third of rounds to its last" : `after ${why.afterRounds} rounds`}`;
    case "short-warm-up":
      return why.needed === null
        ? `got ${why.got} requests of warm-up, too few to find out how many it needs`
        : `got ${why.got} of the ${why.needed} requests that warm it up`;
    case "still-falling":
      return "still became faster";
  }
}

/** Says why a target has no verdict: "2 of 3 trials: node fell by 25 % after 12 rounds". */
export function coldTargetWords(target: string, { coldTrials, trials, first }: ColdTarget): string {
  return `${coldTrials} of ${trials} trials: ${target} ${coldWords(first)}`;
}
