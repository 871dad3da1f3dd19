import type { ClaimVerdict, Figure, FigureUnit } from "@evenbench/results";
import type { RatioInterval } from "@evenbench/stats";
import { estimate } from "./analyse.ts";

const TOO_LITTLE = "Too few trials have it. More time (--time) gives more.";
const ACROSS = "The interval reaches across it. More time (--time) narrows it.";

/** Reproduced where the interval lies above a boundary, not reproduced where it lies below. */
export function judgeAbove(label: string, interval: RatioInterval | null, boundary: number): Figure {
  return judged(label, "ratio", interval, `${boundary}× decides.`, ({ low, high }) =>
    low > boundary ? "reproduced" : high < boundary ? "not reproduced" : "cannot tell",
  );
}

/** Reproduced where the interval lies below a boundary, not reproduced where it lies above. */
export function judgeBelow(label: string, interval: RatioInterval | null, boundary: number): Figure {
  return judged(label, "ratio", interval, `${boundary}× decides.`, ({ low, high }) =>
    high < boundary ? "reproduced" : low > boundary ? "not reproduced" : "cannot tell",
  );
}

/** Reproduced where the interval lies within a fraction of what is expected, not reproduced where it lies outside. */
export function judgeNear(
  label: string,
  unit: FigureUnit,
  interval: RatioInterval | null,
  { expected, within }: { readonly expected: number; readonly within: number },
): Figure {
  const [least, most] = [expected * (1 - within), expected * (1 + within)];
  const words = `Expected: ${Number(expected.toPrecision(3))} ± ${Math.round(within * 100)} %.`;
  return judged(label, unit, interval, words, ({ low, high }) =>
    low >= least && high <= most
      ? "reproduced"
      : low > most || high < least
        ? "not reproduced"
        : "cannot tell",
  );
}

function judged(
  label: string,
  unit: FigureUnit,
  interval: RatioInterval | null,
  words: string,
  decide: (interval: RatioInterval) => ClaimVerdict,
): Figure {
  const value = estimate(interval);
  if (interval === null) return { label, unit, value, verdict: "cannot tell", note: TOO_LITTLE };
  const verdict = decide(interval);
  return { label, unit, value, verdict, note: verdict === "cannot tell" ? `${words} ${ACROSS}` : words };
}
