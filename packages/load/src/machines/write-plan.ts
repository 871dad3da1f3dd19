import { join } from "node:path";
import { formatDuration, openRecord, shellWord } from "@evenbench/core";
import { counted, formatCount } from "@evenbench/report/parts";
import {
  bundleForK6,
  collectPart,
  formatAsked,
  joinParts,
  K6_VERSION,
  kubernetesFile,
  LOGS_FOLDER,
  nameOfPlan,
  PLAN_FILE,
  type PlatformShare,
  planText,
  type RatePlan,
  SCRIPT_FILES,
  secretCommand,
  testRun,
  tokenPart,
  writePlanFiles,
} from "@evenbench/vantages";
import { dueCount } from "../k6/stage-plan.ts";
import { embedLoadPlan, stagePlanOf } from "./embed.ts";
import type { MadeMachinesPlan } from "./make-plan.ts";

const ENTRY = join(import.meta.dirname, "script.ts");
const MEGABYTE = 1e6;

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
    [SCRIPT_FILES.rate]: script,
    "kubernetes.yaml": kubernetesFile({ name, file: SCRIPT_FILES.rate, script }, [
      testRun({
        name: `${name}-${region}`,
        label: region,
        configMap: name,
        file: SCRIPT_FILES.rate,
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

function sharesOf(plan: RatePlan, seenMs: MadeMachinesPlan["seenMs"]): readonly PlatformShare[] {
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

interface LoadReadmeParts {
  readonly asked: readonly string[];
  readonly folder: string;
  readonly region: string;
  readonly name: string;
}

function loadReadme(plan: RatePlan, parts: LoadReadmeParts): string {
  const { asked, folder } = parts;
  return joinParts([
    `# Load from ${plan.machines} machines: ${plan.load.cases.map(({ id }) => id).join(", ")}`,
    asked.join("\n"),
    `\`${PLAN_FILE}\` is the plan; \`${SCRIPT_FILES.rate}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).

Commands of \`npm run bench\` are typed in the repository, all others in this folder.`,
    tokenPart(plan),
    machinesPart(plan, folder),
    kubernetesPart(plan, parts),
    collectPart(folder),
  ]);
}

function machinesPart({ machines }: RatePlan, folder: string): string {
  const at = Array.from({ length: machines }, (_, index) => `--at m${index + 1}=ssh:me@vm${index + 1}`);
  return `## Machines

\`\`\`sh
npm run bench -- vantages run ${shellWord(folder)} ${at.join(" ")}
\`\`\``;
}

function kubernetesPart(plan: RatePlan, { name, region }: LoadReadmeParts): string {
  return `## Kubernetes, with k6-operator

One TestRun of ${plan.machines} pods, which the operator starts together. Follow the logs from the start: after 10 MiB a log loses its head.

\`\`\`sh
${secretCommand(plan)}kubectl apply -f kubernetes.yaml
until kubectl wait --for=condition=Ready pod -l "k6_cr=${name}-${region},runner=true" --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 --prefix --max-log-requests=${plan.machines} -l "k6_cr=${name}-${region},runner=true" > "${LOGS_FOLDER}/${region}.log"
\`\`\``;
}
