import { join } from "node:path";
import { formatDuration, shellWord } from "@evenbench/core";
import { pricesOf } from "@evenbench/report";
import { counted, formatCount } from "@evenbench/report/parts";
import {
  askedByPlatform,
  bundleForK6,
  LOGS_FOLDER,
  megabytes,
  nameOfPlan,
  type PlatformShare,
  planReadme,
  type RatePlan,
  secretCommand,
  writePlanFiles,
} from "@evenbench/vantages";
import { dueCount } from "../k6/stage-plan.ts";
import { embedLoadPlan, stagePlanOf } from "./embed.ts";
import type { MadeMachinesPlan } from "./make-plan.ts";

const ENTRY = join(import.meta.dirname, "script.ts");

export async function writeMachinesPlan(
  made: MadeMachinesPlan,
  folder: string,
  region: string,
): Promise<readonly string[]> {
  const { plan } = made;
  const script = await bundleForK6(ENTRY, embedLoadPlan(plan));
  const asked = askedForLoad(made);
  const readme = planReadme(plan, {
    title: `Load from ${plan.machines} machines: ${plan.load.cases.map(({ id }) => id).join(", ")}`,
    asked,
    rule: "Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).",
    parts: [machinesPart(plan, folder), kubernetesPart(plan, region)],
    folder,
  });
  await writePlanFiles(folder, { plan, script, regions: [region], readme });
  return asked;
}

function askedForLoad({ plan, seenMs }: MadeMachinesPlan): readonly string[] {
  const shares = plan.stages.map((stage): PlatformShare => {
    const { expected, connections, ...own } = stagePlanOf(plan, stage);
    // One more on each connection opens it.
    const requests = dueCount(own) + connections;
    return {
      platform: plan.identities[stage.subject]?.platform ?? null,
      requests,
      bytes: requests * expected.bytes,
      waitedMs: requests * (seenMs[stage.caseId]?.[stage.subject] ?? 0),
    };
  });
  const requests = shares.reduce((sum, share) => sum + share.requests, 0);
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
  return [
    `${counted(plan.machines, "machine")} together send ${formatCount(requests)} requests and receive ${megabytes(bytes)}, in ${counted(plan.stages.length, "stage")}; that takes ${formatDuration(plan.stages.length * plan.slotMs)}.`,
    ...askedByPlatform(shares, pricesOf(plan.load.subjects.map(({ target }) => target))),
  ];
}

function machinesPart({ machines }: RatePlan, folder: string): string {
  const at = Array.from({ length: machines }, (_, index) => `--at m${index + 1}=ssh:me@vm${index + 1}`);
  return `## Machines

\`\`\`sh
npm run bench -- vantages run ${shellWord(folder)} ${at.join(" ")}
\`\`\``;
}

function kubernetesPart(plan: RatePlan, region: string): string {
  const name = nameOfPlan(plan);
  return `## Kubernetes, with k6-operator

One TestRun of ${plan.machines} pods, which the operator starts together. Follow the logs from the start: after 10 MiB a log loses its head.

\`\`\`sh
${secretCommand(plan)}kubectl apply -f kubernetes.yaml
until kubectl wait --for=condition=Ready pod -l "k6_cr=${name}-${region},runner=true" --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 --prefix --max-log-requests=${plan.machines} -l "k6_cr=${name}-${region},runner=true" > "${LOGS_FOLDER}/${region}.log"
\`\`\``;
}
