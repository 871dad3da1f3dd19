import { join } from "node:path";
import { readRegular } from "@evenbench/results";
import { PLAN_FILE, parsePlan } from "@evenbench/vantages";
import { type MachinesPlan, machinesPlanSchema } from "./plan.ts";

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
  const text = await readRegular(join(folder, PLAN_FILE)).catch(() => "");
  if (!/"kind":\s*"load"/.test(text)) return null;
  const again = "load --engine k6 --plan <folder>";
  return { folder, ...(await parsePlan(folder, machinesPlanSchema, again, text)) };
}
