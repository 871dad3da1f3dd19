import type { ReportTarget } from "../data.ts";
import { seriesStyle } from "./plot.ts";

export function isCopy(name: string, targets: readonly ReportTarget[]): boolean {
  return targetOf(name, targets)?.copyOf != null;
}

/** A target's colour and dashes; an A/A copy has those of its original. */
export function styleOf(name: string, targets: readonly ReportTarget[]): ReturnType<typeof seriesStyle> {
  const own = targetOf(name, targets);
  const original = own?.copyOf ?? name;
  const colour = own?.colour ?? 0;
  const alike = targets.filter((one) => one.copyOf === null && one.colour === colour);
  return seriesStyle(
    colour,
    Math.max(
      0,
      alike.findIndex((one) => one.name === original),
    ),
  );
}

/** A target's line; an A/A copy's is thinner. */
export function lineOf(name: string, targets: readonly ReportTarget[]) {
  const width = isCopy(name, targets) ? { strokeOpacity: 0.6, strokeWidth: 1 } : { strokeWidth: 1.8 };
  return { ...styleOf(name, targets), ...width };
}

function targetOf(name: string, targets: readonly ReportTarget[]): ReportTarget | undefined {
  return targets.find((target) => target.name === name);
}
