import { UserError } from "@evenbench/core";
import type { Problem } from "./plan-logs.ts";

/** @throws {UserError} where something is wrong that `anyway` does not allow. */
export function refuse(problems: readonly Problem[], anyway: boolean): void {
  const refused = problems.filter(({ kind }) => kind === "fatal" || !anyway);
  if (refused.length === 0) return;
  const lines = refused.map(({ sentence }) => sentence);
  const canGoOn = problems.every(({ kind }) => kind !== "fatal");
  const next = canGoOn ? " --anyway makes a run of what is there, and the report says what is missing." : "";
  throw new UserError(
    lines.length === 1
      ? `${lines[0]}${next}`
      : `${lines.length} things are wrong with these logs.${next}\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );
}
