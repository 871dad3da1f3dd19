import type { ExchangeMs, WarmUpCurve } from "@evenbench/stats";
import type { CaseReport } from "./data.ts";
import { formatMs } from "./format.ts";
import type { Remark } from "./kinds.ts";

/**
 * "312 ms (CPU time 650 ms)"; a dash where it is not known, "nothing" where the scatter of exchanges makes a
 * cost negative.
 */
export function timeAndCpu({ lastByteMs, cpuMs }: ExchangeMs): string {
  const told = (ms: number | null) => (ms !== null && ms <= 0 ? "nothing" : formatMs(ms));
  return `${told(lastByteMs)}${cpuMs === null ? "" : ` (CPU time ${told(cpuMs)})`}`;
}

/** How each target becomes warm, as a sentence; those of which it is not known have none. A/A copies have none. */
export function warmUpRemarks({ curves }: CaseReport, copies: ReadonlySet<string>): readonly Remark[] {
  return curves.flatMap((curve) => {
    const sentence = copies.has(curve.target) ? null : describe(curve);
    return sentence === null ? [] : [{ target: curve.target, sentence }];
  });
}

function describe({ warmFrom, first }: WarmUpCurve): string | null {
  if (warmFrom === null) return null;
  const costs = first.flatMap(({ exchanges, ...ms }) =>
    ms.lastByteMs === null ? [] : [`the first ${exchanges} cost ${timeAndCpu(ms)} beyond warm ones`],
  );
  return `is warm from request ${warmFrom} of a fresh instance${costs.length === 0 ? "" : `; ${costs.join(", ")}`}.`;
}
