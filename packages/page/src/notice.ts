export interface Notice {
  /** "void": something that was asked for has no result. "caution": results stand, with this in mind. */
  readonly severity: "void" | "caution";
  readonly title: string;
  readonly remedy: string;
}

export interface Warning extends Notice {
  readonly details: readonly string[];
}

export const errorNotice = (title: string, remedy: string): Notice => ({ severity: "void", title, remedy });
export const warningNotice = (title: string, remedy: string): Notice => ({
  severity: "caution",
  title,
  remedy,
});

export function warningsOf({ severity, title, remedy }: Notice, details: readonly string[]): Warning[] {
  return details.length === 0 ? [] : [{ severity, title, remedy, details }];
}

export function gravestFirst(warnings: readonly Warning[]): Warning[] {
  return warnings.toSorted((a, b) => Number(b.severity === "void") - Number(a.severity === "void"));
}
