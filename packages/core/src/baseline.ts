import type { PlatformId } from "./platform.ts";

/** What tells targets apart here. */
interface Named {
  readonly name: string;
  readonly platform: PlatformId | null;
  readonly place: "local" | "url";
}

/** What the baseline is called where nobody names another. */
export const USUAL_BASELINE = "node";

/**
 * Which of one app's targets the others are compared with: the one of that name, else the local one on the
 * platform of that name; else the usual one, for a name may be that of another app's target; else the first.
 * undefined where there is none.
 */
export function baselineAmong<One extends Named>(targets: readonly One[], word: string): One | undefined {
  return called(targets, word) ?? called(targets, USUAL_BASELINE) ?? targets[0];
}

function called<One extends Named>(targets: readonly One[], word: string): One | undefined {
  return (
    targets.find(({ name }) => name === word) ??
    targets.find(({ place, platform }) => place === "local" && platform === word)
  );
}
