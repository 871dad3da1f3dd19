import { shellWord } from "@evenbench/core";
import {
  collectPart,
  joinParts,
  K6_VERSION,
  LOGS_FOLDER,
  PLAN_FILE,
  secretCommand,
  tokenPart,
} from "@evenbench/vantages";
import { LOAD_SCRIPT_FILE, type MachinesPlan } from "./plan.ts";

export interface LoadReadmeParts {
  readonly asked: readonly string[];
  readonly folder: string;
  readonly region: string;
  /** By which engines name the plan's things. */
  readonly name: string;
}

/**
 * The exact commands for each engine. Those of `npm run bench` are run in the repository, all others in the
 * plan's folder.
 */
export function loadReadme(plan: MachinesPlan, parts: LoadReadmeParts): string {
  const { asked, folder } = parts;
  return joinParts([
    `# Load from ${plan.machines} machines: ${plan.load.cases.map(({ id }) => id).join(", ")}`,
    asked.join("\n"),
    `\`${PLAN_FILE}\` is the plan; \`${LOAD_SCRIPT_FILE}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).

Commands of \`npm run bench\` are typed in the repository, all others in this folder.`,
    tokenPart(plan),
    machinesPart(plan, folder),
    kubernetesPart(plan, parts),
    collectPart(folder),
  ]);
}

function machinesPart({ machines }: MachinesPlan, folder: string): string {
  const at = Array.from({ length: machines }, (_, index) => `--at m${index + 1}=ssh:me@vm${index + 1}`);
  return `## Machines

\`\`\`sh
npm run bench -- vantages run ${shellWord(folder)} ${at.join(" ")}
\`\`\``;
}

function kubernetesPart(plan: MachinesPlan, { name, region }: LoadReadmeParts): string {
  return `## Kubernetes, with k6-operator

One TestRun of ${plan.machines} pods, which the operator starts together. Follow the logs from the start: after 10 MiB a log loses its head.

\`\`\`sh
${secretCommand(plan)}kubectl apply -f kubernetes.yaml
until kubectl wait --for=condition=Ready pod -l "k6_cr=${name}-${region},runner=true" --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 --prefix --max-log-requests=${plan.machines} -l "k6_cr=${name}-${region},runner=true" > "${LOGS_FOLDER}/${region}.log"
\`\`\``;
}
