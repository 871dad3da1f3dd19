import { join } from "node:path";
import { firstIssue, parseJson, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { systemReason } from "@evenbench/core/user-file";
import { readRegular } from "@evenbench/results";
import { whyUnplayable } from "./check-plan.ts";
import { PLAN_FILE, planHash, planSchema, type VantagePlan } from "./plan.ts";

/** A plan that was read, with the hash that its logs must name. */
export interface ReadPlan {
  /** Path of its folder. */
  readonly folder: string;
  readonly plan: VantagePlan;
  /** The SHA-256 of plan.json. */
  readonly hash: string;
}

/** Reads `plan.json` of a folder, which may be a stranger's. @throws {UserError} with why it cannot be read or played. */
export async function readPlan(folder: string): Promise<ReadPlan> {
  const file = join(folder, PLAN_FILE);
  const text = await readRegular(file).catch((error: unknown) => refuseFolder(folder, systemReason(error)));
  const raw = parseJson(text);
  if (raw === undefined) {
    return refuseFolder(folder, `${PLAN_FILE} is not JSON, as if it was cut off`);
  }
  const parsed = parsePlan(raw);
  if (typeof parsed === "string") {
    return refuseFolder(folder, `${PLAN_FILE}: ${parsed}`);
  }
  return { folder, plan: parsed, hash: planHash(text) };
}

/**
 * Reads the plan of a JSON document, with its keys in the schema's order; or gives a text that says what is wrong with
 * it.
 */
export function parsePlan(raw: unknown): VantagePlan | string {
  const parsed = planSchema.safeParse(raw);
  if (!parsed.success) {
    return firstIssue(parsed.error);
  }
  return whyUnplayable(parsed.data) ?? parsed.data;
}

function refuseFolder(folder: string, why: string): never {
  throw new UserError(
    `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} vantages plan --deployed --out <folder>\`, for a load with --rate.`,
  );
}
