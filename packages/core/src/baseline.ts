import type { PlatformId } from "./platform.ts";

/** What tells targets apart here. */
interface Named {
  readonly name: string;
  readonly platform: PlatformId | null;
  readonly place: "local" | "url";
}

/**
 * Which of one app's targets the others are compared with: the one of that name, else the local one on the platform of that
 * name, else the first; undefined where there is none.
 *
 * @param word what a user named, or "node".
 */
export function baselineAmong<One extends Named>(targets: readonly One[], word: string): One | undefined {
  return (
    targets.find(({ name }) => name === word) ??
    targets.find(({ place, platform }) => place === "local" && platform === word) ??
    targets[0]
  );
}
