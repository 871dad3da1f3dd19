import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatDuration, messageOf, parseJson, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { counted, formatCount } from "@evenbench/page";
import { bundlePlan } from "./bundle-plan.ts";
import { kubernetesYaml } from "./kubernetes.ts";
import {
  demandOf,
  LOGS_FOLDER,
  nameOfPlan,
  PLAN_FILE,
  planText,
  type RoundsPlan,
  SCRIPT_FILES,
  slotMsOf,
  stagesOf,
  type VantagePlan,
} from "./plan.ts";
import { parsePlan } from "./read-plan.ts";
import { MAX_DLT_REGIONS, readmeOf } from "./readme.ts";

/**
 * Writes a plan into an empty or new folder, with the script, files for other engines, and a README.
 *
 * @param all names of the regions from which clients are to play it.
 * @returns a sentence on the number of requests, their bytes and their time.
 * @throws {UserError} where no engine could play it, or the folder cannot take it.
 */
export async function writePlan(made: VantagePlan, folder: string, all: readonly string[]): Promise<string> {
  // The plan as it will be read, so that its reader makes the same script of it.
  const plan = parsePlan(parseJson(planText(made)));
  if (typeof plan === "string") {
    throw new UserError(`The plan cannot be written: ${plan}. Ask for less, or for other targets.`);
  }
  // A load is sent from one region.
  const regions = plan.kind === "rate" ? all.slice(0, 1) : all;
  const script = await bundlePlan(plan);
  const demand = describeDemand(plan);
  const files = {
    [PLAN_FILE]: planText(plan),
    [SCRIPT_FILES[plan.kind]]: script,
    "kubernetes.yaml": kubernetesYaml(plan, script, regions),
    ...(plan.kind === "rounds" && { "dlt.json": dltJson(plan, regions) }),
    "README.md": readmeOf(plan, demand, regions, folder),
  };
  // Logs of one plan beside another plan would be taken for its own.
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new UserError(`${folder} holds files already. Give an empty or new folder: --out <folder>.`);
  }
  try {
    makeFolder(join(folder, LOGS_FOLDER));
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text);
    }
  } catch (error) {
    throw new UserError(
      `The plan cannot be written: ${messageOf(error)}. Give another folder: --out <folder>.`,
    );
  }
  return demand;
}

/** Says how many requests a plan sends, how much it receives, and how long it takes. */
function describeDemand(plan: VantagePlan): string {
  const { requests, bytes, ms } = demandOf(plan);
  const megabytes = `${(bytes / 1e6).toFixed(1)} MB`;
  if (plan.kind === "rate") {
    const stages = stagesOf(plan).length;
    return `${counted(plan.machines, "machine")} together send ${formatCount(requests)} requests and receive ${megabytes}, in ${counted(stages, "stage")}; that takes ${formatDuration(stages * slotMsOf(plan))}.`;
  }
  const trials = plan.run.trials.minimum * plan.cases.length;
  return `Each client sends ${formatCount(requests)} requests and receives ${megabytes}, in ${formatCount(trials)} trials; that takes about ${formatDuration(ms)} from here.`;
}

/** Factor of the expected time for which a test holds: networks elsewhere may be slower. */
const TIMES_EXPECTED = 3;
/** Minutes that are added to that. */
const EXTRA_MINUTES = 2;

/** Writes a plan of rounds as a test of Distributed Load Testing on AWS. @param regions names of AWS's regions. */
export function dltJson(plan: RoundsPlan, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  const minutes = Math.ceil((TIMES_EXPECTED * demandOf(plan).ms) / 60_000) + EXTRA_MINUTES;
  const test = {
    testName: name,
    testDescription: `Evenbench: ${plan.cases.map(({ id }) => id).join(", ")}`,
    testType: "k6",
    fileType: "script",
    testTaskConfigs: regions
      .slice(0, MAX_DLT_REGIONS)
      .map((region) => ({ region, taskCount: 1, concurrency: 1 })),
    testScenario: {
      execution: [{ "ramp-up": "0m", "hold-for": `${minutes}m`, scenario: name }],
      scenarios: { [name]: { script: SCRIPT_FILES.rounds } },
    },
    showLive: false,
  };
  return `${JSON.stringify(test, null, 2)}\n`;
}
