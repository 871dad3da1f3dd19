import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { readRegular } from "@evenbench/results";
import type { z } from "zod";
import { PLAN_FILE, planSchema, type VantagePlan } from "../protocol/plan.ts";
import { planHash } from "./embed.ts";

export interface ReadPlan {
  readonly plan: VantagePlan;
  readonly hash: string;
}

/** Reads a folder's plan. @throws {UserError} when there is none. */
export async function readPlan(folder: string): Promise<ReadPlan> {
  const again = "vantages plan --where deployed --out <folder>";
  return parsePlan(folder, planSchema, again, readRegular(join(folder, PLAN_FILE)));
}

/**
 * A plan of any kind, from the text of its file.
 *
 * @throws {UserError} when the text cannot be read, or says something else.
 */
export async function parsePlan<P>(
  folder: string,
  schema: z.ZodType<P>,
  again: string,
  text: string | Promise<string>,
): Promise<{ readonly plan: P; readonly hash: string }> {
  try {
    const read = await text;
    return { plan: schema.parse(JSON.parse(read)), hash: planHash(read) };
  } catch (error) {
    const why = messageOf(error).split("\n")[0];
    throw new UserError(
      `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} ${again}\`.`,
    );
  }
}
