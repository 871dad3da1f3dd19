/** Something that a reader of a report has to know. */
export interface Notice {
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly severity: "void" | "caution";
  /** A few words without a full stop. */
  readonly title: string;
  /** What to do, as sentences. */
  readonly remedy: string;
}

/** A notice with what it was found in. */
export interface Warning extends Notice {
  /** One at least. */
  readonly details: readonly string[];
}

export const errorNotice = (title: string, remedy: string): Notice => ({ severity: "void", title, remedy });
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
