import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { PLAN_FILE, planSchema, type VantagePlan } from "../protocol/plan.ts";
import { planHash } from "./embed.ts";

/** A plan as its folder has it. */
export interface ReadPlan {
  readonly plan: VantagePlan;
  readonly hash: string;
}

/** Reads a folder's plan. @throws {UserError} when there is none. */
export async function readPlan(folder: string): Promise<ReadPlan> {
  try {
    const text = await readFile(join(folder, PLAN_FILE), "utf8");
    return { plan: planSchema.parse(JSON.parse(text)), hash: planHash(text) };
  } catch (error) {
    const why = messageOf(error).split("\n")[0];
    throw new UserError(
      `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} vantages plan --where deployed --out <folder>\`.`,
    );
  }
}
