import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { LOGS_FOLDER, PLAN_FILE, SCRIPT_FILES } from "../protocol/plan.ts";
import { askedFor } from "./asked.ts";
import { bundleScript, embedPlan, planText } from "./embed.ts";
import { dltJson, kubernetesYaml } from "./kubernetes.ts";
import type { MadePlan } from "./make-plan.ts";
import { readmeText } from "./readme.ts";

export async function writePlan(made: MadePlan, folder: string, regions: readonly string[]): Promise<void> {
  const script = await bundleScript(embedPlan(made.plan));
  const files = {
    [PLAN_FILE]: planText(made.plan),
    [SCRIPT_FILES.rounds]: script,
    "kubernetes.yaml": kubernetesYaml(made.plan, script, regions),
    "dlt.json": dltJson(made.plan, regions),
    "README.md": readmeText(made.plan, askedFor(made), regions, folder),
  };
  await writePlanFiles(folder, files);
}

export async function writePlanFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
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
