/** Something that a reader of a report has to know. */
export interface Notice {
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly severity: "void" | "caution";
  /** A few words without a full stop. */
  readonly title: string;
  /** Sentences that say what to do. */
  readonly remedy: string;
}

/** A notice with what it was found in. */
export interface Warning extends Notice {
  /** Sentences on what was found, one at least. */
  readonly details: readonly string[];
}

/** Makes a notice of something that makes results void. */
export const errorNotice = (title: string, remedy: string): Notice => ({ severity: "void", title, remedy });
/** Makes a notice of something that a reader has to know before results are used. */
export const warningNotice = (title: string, remedy: string): Notice => ({
  severity: "caution",
  title,
  remedy,
});

/** A list with the notice's warning; empty where there are no details. */
export function warningsOf({ severity, title, remedy }: Notice, details: readonly string[]): Warning[] {
  return details.length === 0 ? [] : [{ severity, title, remedy, details }];
}

/** The same warnings, those of results that are missing before all others. */
export function gravestFirst(warnings: readonly Warning[]): Warning[] {
  return warnings.toSorted((a, b) => Number(b.severity === "void") - Number(a.severity === "void"));
}
