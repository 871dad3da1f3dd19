import type { ReportTarget } from "../data.ts";
import { seriesStyle } from "./plot.ts";

export function isTwin(name: string, targets: readonly ReportTarget[]): boolean {
  return targetOf(name, targets)?.twinOf != null;
}

/** A target's colour and dashes; a twin has those of its original. */
export function styleOf(name: string, targets: readonly ReportTarget[]): ReturnType<typeof seriesStyle> {
  return seriesStyle(targetOf(name, targets)?.colour ?? 0);
}

/** A target's line; a twin's is thinner. */
export function lineOf(name: string, targets: readonly ReportTarget[]) {
  const width = isTwin(name, targets) ? { strokeOpacity: 0.6, strokeWidth: 1 } : { strokeWidth: 1.8 };
  return { ...styleOf(name, targets), ...width };
}

function targetOf(name: string, targets: readonly ReportTarget[]): ReportTarget | undefined {
  return targets.find((target) => target.name === name);
}
