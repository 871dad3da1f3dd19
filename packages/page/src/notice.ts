/** Something that a reader of a report has to know. */
export interface Notice {
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly severity: "void" | "caution";
  /** A few words without a full stop. */
  readonly title: string;
  /** Sentences that say what to do. */
  readonly remedy: string;
  /** Sentences on what was found, one at least. */
  readonly details: readonly string[];
}
