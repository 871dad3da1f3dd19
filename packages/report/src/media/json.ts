import type { Details } from "../facts/details.ts";
import type { Facts } from "../facts/facts.ts";

/** Writes facts, or the details beside them, for programs: docs/schema/facts.schema.json says what is in facts. */
export function json(document: Facts | Details): string {
  return `${JSON.stringify(document)}\n`;
}
