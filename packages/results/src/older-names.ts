import { z } from "zod";

/** Fields of version 1, under their names of version 2. */
const FIELDS: Readonly<Record<string, string>> = {
  generation: "trial",
  generations: "trials",
  roundsPerGeneration: "roundsPerTrial",
  set: "trial",
  sets: "trials",
  lane: "connection",
  lanes: "connections",
  twinOf: "copyOf",
};

/** Their keys are names that users gave, or that platforms report: none is a field of ours. */
const FOREIGN = new Set(["cases", "caseBudgetMs", "parameters", "identities", "deployables", "versions"]);

/**
 * A schema for what a record of this version has, or stands beside: version 1 is read as version 2, and every
 * other as it stands. What a later version changes is a step of its own, after this one.
 */
export function fromVersion1<T>(version: number, schema: z.ZodType<T>): z.ZodType<T> {
  return version === 1 ? z.preprocess((value) => renamed(value), schema) : schema;
}

/** The same value with the names of version 2; what has them already stays as it is. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, own]) =>
      FOREIGN.has(field) ? [field, own] : [FIELDS[field] ?? field, withWord(field, renamed(own))],
    ),
  );
}

/** Values that were words of version 1. */
function withWord(field: string, value: unknown): unknown {
  if (field === "schemaVersion") return value === 1 ? 2 : value;
  if (field === "phase" && value === "floor") return "transfer";
  const isName = field === "name" || field === "target" || field === "side";
  return isName && typeof value === "string" ? value.replace(/~twin$/, "~copy") : value;
}
