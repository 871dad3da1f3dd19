import { join } from "node:path";
import { parseJson, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { firstIssue, readRegular, systemReason } from "@evenbench/results";
import { whyUnplayable } from "./check-plan.ts";
import { PLAN_FILE, type Plan, planHash, planSchema } from "./plan.ts";

/** A plan as it was read, with what its logs must name. */
export interface ReadPlan {
  readonly folder: string;
  readonly plan: Plan;
  /** The SHA-256 of plan.json. */
  readonly hash: string;
}

/**
 * Reads `plan.json` of a folder, which may come from a stranger.
 *
 * @throws {UserError} says what is wrong with it.
 */
export async function readPlan(folder: string): Promise<ReadPlan> {
  const file = join(folder, PLAN_FILE);
  const text = await readRegular(file).catch((error: unknown) => refuse(folder, systemReason(error)));
  const raw = parseJson(text);
  if (raw === undefined) {
    return refuse(folder, `${PLAN_FILE} is not JSON, as if it was cut off`);
  }
  const parsed = parsePlan(raw);
  if (typeof parsed === "string") {
    return refuse(folder, `${PLAN_FILE}: ${parsed}`);
  }
  return { folder, plan: parsed, hash: planHash(text) };
}

/**
 * The plan that a JSON document holds, with its keys in the schema's order; or what is wrong with it, in
 * words.
 */
export function parsePlan(raw: unknown): Plan | string {
  const parsed = planSchema.safeParse(raw);
  if (!parsed.success) {
    return firstIssue(parsed.error);
  }
  return whyUnplayable(parsed.data) ?? parsed.data;
}

function refuse(folder: string, why: string): never {
  throw new UserError(
    `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} vantages plan --where deployed --out <folder>\`, for a load with --rate.`,
  );
}
