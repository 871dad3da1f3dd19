// The one mark: it stands at a decided verdict that is less sure than it looks.
import type { Change, Flag } from "../facts/facts.ts";

/** Stands behind a change; `footnote` explains it. */
export const MARK = "*";

/** What makes a verdict less sure, as it stands in the footnote. */
export const FLAG_WORDS: Readonly<Record<Flag, string>> = {
  "copy-differs": "the baseline differed from its own copy",
  "client-waited": "the measuring client had to wait",
  drifted: "a server changed speed",
  unproven: "answers differ, and were compared as --same-work assumed asks",
};

type Flagged = Pick<Change, "verdict" | "flags">;

/** Tells whether a change has a verdict that says what is the case. */
export function isDecided({ verdict }: Pick<Change, "verdict">): boolean {
  return verdict === "faster" || verdict === "slower" || verdict === "same";
}

/** Tells whether the mark stands at a change: what is unclear claims nothing that could be less sure. */
export function isMarked(change: Flagged): boolean {
  return isDecided(change) && change.flags.length > 0;
}

/** Explains the mark below changes, with each reason once: "* less sure: … or …"; empty where no change is marked. */
export function footnote(changes: readonly Change[]): string {
  const reasons = new Set(changes.filter(isMarked).flatMap(({ flags }) => flags));
  const said = [...reasons].map((flag) => FLAG_WORDS[flag]);
  return said.length === 0 ? "" : `${MARK} less sure: ${said.join(" or ")}`;
}
