import { type Platform, UserError } from "@evenbench/core";

class MissingError extends UserError {}

/** @throws {MissingError} in one line, with the command that installs it. */
export function assertNothingMissing({ missing }: Platform): void {
  const what = missing?.() ?? null;
  if (what !== null) throw new MissingError(what);
}
