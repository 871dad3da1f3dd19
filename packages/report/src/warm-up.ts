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

/**
 * From when on each target is warm, and what its first exchanges cost, as a sentence. Those of which neither
 * is known have none. A/A copies have none.
 */
export function warmUpRemarks({ curves }: CaseReport, copies: ReadonlySet<string>): readonly Remark[] {
  return curves.flatMap((curve) => {
    const sentence = copies.has(curve.target) ? null : describe(curve);
    return sentence === null ? [] : [{ target: curve.target, sentence }];
  });
}

function describe({ warmFrom, first }: WarmUpCurve): string | null {
  const known = first.filter(({ lastByteMs }) => lastByteMs !== null);
  const costs = known.map(({ exchanges, ...ms }, index) => {
    const ofWhat = warmFrom === null && index === 0 ? " requests of a fresh instance" : "";
    return `the first ${exchanges}${ofWhat} cost ${timeAndCpu(ms)} beyond warm ones`;
  });
  const from = warmFrom === null ? [] : [`is warm from request ${warmFrom} of a fresh instance`];
  const said = [...from, ...(costs.length === 0 ? [] : [costs.join(", ")])];
  return said.length === 0 ? null : `${said.join("; ")}.`;
}
