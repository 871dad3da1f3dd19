import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { LOGS_FOLDER, PLAN_FILE, type Plan, SCRIPT_FILES } from "../protocol/plan.ts";
import { askedFor } from "./asked.ts";
import { bundleScript, embedPlan, planText } from "./embed.ts";
import { dltJson, kubernetesYaml } from "./kubernetes.ts";
import type { MadePlan } from "./make-plan.ts";
import { readmeText } from "./readme.ts";

export async function writePlan(made: MadePlan, folder: string, regions: readonly string[]): Promise<void> {
  const { plan } = made;
  const script = await bundleScript(embedPlan(plan));
  const readme = readmeText(plan, askedFor(made), regions, folder);
  await writePlanFiles(folder, { plan, script, regions, readme }, { "dlt.json": dltJson(plan, regions) });
}

export interface PlanFiles {
  readonly plan: Plan;
  readonly script: string;
  readonly regions: readonly string[];
  readonly readme: string;
}

export async function writePlanFiles(
  folder: string,
  { plan, script, regions, readme }: PlanFiles,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const files = {
    [PLAN_FILE]: planText(plan),
    [SCRIPT_FILES[plan.kind]]: script,
    "kubernetes.yaml": kubernetesYaml(plan, script, regions),
    ...more,
    "README.md": readme,
  };
  await refuseFull(folder);
  try {
    makeFolder(join(folder, LOGS_FOLDER));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (error) {
    throw new UserError(
      `The plan cannot be written: ${messageOf(error)}. Give another folder: --out <folder>.`,
    );
  }
}

/** Logs of one plan beside another plan would be taken for its own. */
async function refuseFull(folder: string): Promise<void> {
  const there = await readdir(folder).catch(() => []);
  if (there.length === 0) return;
  throw new UserError(
    `${folder} holds files already. Give a folder that is empty, or is not there yet: --out <folder>.`,
  );
}
