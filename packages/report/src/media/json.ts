import type { Facts } from "../facts/facts.ts";

/** Writes facts for programs: docs/schema/facts.schema.json says what is in it. */
export function json(facts: Facts): string {
  return `${JSON.stringify(facts, null, 2)}\n`;
}
