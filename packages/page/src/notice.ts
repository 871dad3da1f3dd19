/** A kind of notices: how grave they are, what they are about, and what to do. */
export interface NoticeKind {
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly severity: "void" | "caution";
  /** A few words without a full stop. */
  readonly title: string;
  /** Sentences that say what to do. */
  readonly remedy: string;
}

/** Something that a reader of a report has to know. */
export interface Notice extends NoticeKind {
  /** Sentences on what was found, one at least. */
  readonly details: readonly string[];
}

/** Makes the kind of notices of what makes results void. */
export const voidNotice = (title: string, remedy: string): NoticeKind => ({
  severity: "void",
  title,
  remedy,
});
/** Makes the kind of notices of what a reader has to know before results are used. */
export const cautionNotice = (title: string, remedy: string): NoticeKind => ({
  severity: "caution",
  title,
  remedy,
});

/** Makes a notice of a kind. @returns a list with it; empty where there are no details. */
export function noticesOf({ severity, title, remedy }: NoticeKind, details: readonly string[]): Notice[] {
  return details.length === 0 ? [] : [{ severity, title, remedy, details }];
}

/** Orders notices: those of results that are void come before all others. */
export function gravestFirst(notices: readonly Notice[]): Notice[] {
  return notices.toSorted((a, b) => Number(b.severity === "void") - Number(a.severity === "void"));
}
