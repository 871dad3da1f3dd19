import { join } from "node:path";
import { formatDuration, openRecord } from "@evenbench/core";
import { counted, formatCount } from "@evenbench/report/parts";
import {
  bundleForK6,
  formatAsked,
  kubernetesFile,
  nameOfPlan,
  PLAN_FILE,
  type PlatformShare,
  planText,
  testRun,
  writePlanFiles,
} from "@evenbench/vantages";
import { dueCount } from "../k6/stage-plan.ts";
import { embedLoadPlan, stagePlanOf } from "./embed.ts";
import type { MadeMachinesPlan } from "./make-plan.ts";
import { LOAD_SCRIPT_FILE, type MachinesPlan } from "./plan.ts";
import { loadReadme } from "./readme.ts";

const ENTRY = join(import.meta.dirname, "script.ts");
const MEGABYTE = 1e6;

/**
 * Writes a plan and what each engine needs to carry it out into a folder. Nothing is sent.
 *
 * @throws {UserError} when the folder holds something already, or cannot be written.
 */
export async function writeMachinesPlan(
  made: MadeMachinesPlan,
  folder: string,
  region: string,
): Promise<readonly string[]> {
  const { plan } = made;
  const script = await bundleForK6(ENTRY, embedLoadPlan(plan));
  const name = nameOfPlan(plan);
  const asked = askedForLoad(made);
  await writePlanFiles(folder, {
    [PLAN_FILE]: planText(plan),
    [LOAD_SCRIPT_FILE]: script,
    "kubernetes.yaml": kubernetesFile({ name, file: LOAD_SCRIPT_FILE, script }, [
      testRun({
        name: `${name}-${region}`,
        label: region,
        configMap: name,
        file: LOAD_SCRIPT_FILE,
        parallelism: plan.machines,
        isClosed: plan.closed.length > 0,
        region,
      }),
    ]),
    "README.md": loadReadme(plan, { asked, folder, region, name }),
  });
  return asked;
}

function askedForLoad({ plan, seenMs }: MadeMachinesPlan): readonly string[] {
  const shares = sharesOf(plan, seenMs);
  const requests = shares.reduce((sum, share) => sum + share.requests, 0);
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
  return [
    `${counted(plan.machines, "machine")} together send ${formatCount(requests)} requests and receive ${(bytes / MEGABYTE).toFixed(1)} MB, in ${counted(plan.stages.length, "stage")}; that takes ${formatDuration(plan.stages.length * plan.slotMs)}.`,
    ...shares.map((share) => formatAsked(share)),
  ];
}

function sharesOf(plan: MachinesPlan, seenMs: MadeMachinesPlan["seenMs"]): readonly PlatformShare[] {
  const shares = openRecord<PlatformShare>();
  for (const stage of plan.stages) {
    const own = stagePlanOf(plan, stage);
    const platform = plan.identities[stage.subject]?.platform ?? "elsewhere";
    const before = shares[platform] ?? { platform, requests: 0, bytes: 0, waitedMs: 0 };
    // One more on each connection opens it.
    const requests = dueCount(own) + own.connections;
    shares[platform] = {
      platform,
      requests: before.requests + requests,
      bytes: before.bytes + requests * own.expected.bytes,
      waitedMs: before.waitedMs + requests * (seenMs[stage.caseId]?.[stage.subject] ?? 0),
    };
  }
  return Object.values(shares);
}
