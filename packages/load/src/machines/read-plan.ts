import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { PLAN_FILE, planHash } from "@evenbench/vantages";
import { type MachinesPlan, machinesPlanSchema } from "./plan.ts";

/** A plan as its folder has it. */
export interface ReadMachinesPlan {
  readonly folder: string;
  readonly plan: MachinesPlan;
  readonly hash: string;
}

/**
 * Reads a folder's plan of a load from several machines.
 *
 * @returns null where the folder has no plan, or one of another kind.
 * @throws {UserError} when it cannot be read.
 */
export async function readMachinesPlan(folder: string): Promise<ReadMachinesPlan | null> {
  const text = await readFile(join(folder, PLAN_FILE), "utf8").catch(() => "");
  if (!/"kind":\s*"load"/.test(text)) return null;
  try {
    return { folder, plan: machinesPlanSchema.parse(JSON.parse(text)), hash: planHash(text) };
  } catch (error) {
    const why = messageOf(error).split("\n")[0];
    throw new UserError(
      `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} load --engine k6 --plan <folder>\`.`,
    );
  }
}
