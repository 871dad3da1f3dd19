import { K6_VERSION, LOGS_FOLDER, PLAN_FILE } from "@evenbench/vantages";
import { LOAD_SCRIPT_FILE, type MachinesPlan } from "./plan.ts";

export interface LoadReadmeParts {
  readonly asked: readonly string[];
  /** As the user named it. */
  readonly folder: string;
  readonly region: string;
  /** By which engines name the plan's things. */
  readonly name: string;
}

/** The exact commands for each engine. Those of `npm run bench` are run in the repository, all others in the plan's folder. */
export function loadReadme(plan: MachinesPlan, parts: LoadReadmeParts): string {
  const { asked, folder } = parts;
  return [
    `# Load from ${plan.machines} machines: ${plan.load.cases.map(({ id }) => id).join(", ")}`,
    asked.join("\n"),
    `\`${PLAN_FILE}\` is the plan; \`${LOAD_SCRIPT_FILE}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).

Commands of \`npm run bench\` are typed in the repository, all others in this folder.`,
    ...tokenPart(plan),
    machinesPart(plan, folder),
    kubernetesPart(plan, parts),
    `## Afterwards\n\n\`\`\`sh\nnpm run bench -- vantages collect ${folder} ${folder}/${LOGS_FOLDER}/*\n\`\`\`\n`,
  ].join("\n\n");
}

function tokenPart({ closed }: MachinesPlan): readonly string[] {
  if (closed.length === 0) return [];
  return [
    `## The token

The targets are closed. Their token comes from the environment alone; no file here has it.

\`\`\`sh
export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"
\`\`\``,
  ];
}

function machinesPart({ machines }: MachinesPlan, folder: string): string {
  const at = Array.from({ length: machines }, (_, index) => `--at m${index + 1}=ssh:me@vm${index + 1}`);
  return `## Machines

\`\`\`sh
npm run bench -- vantages run ${folder} ${at.join(" ")}
\`\`\``;
}

function kubernetesPart({ closed, machines }: MachinesPlan, { name, region }: LoadReadmeParts): string {
  const secret = `printf 'EVENBENCH_TOKEN=%s\\n' "$EVENBENCH_TOKEN" | kubectl create secret generic evenbench-token --from-env-file=/dev/stdin\n`;
  return `## Kubernetes, with k6-operator

One TestRun of ${machines} pods, which the operator starts together. Follow the logs from the start: after 10 MiB a log loses its head.

\`\`\`sh
${closed.length > 0 ? secret : ""}kubectl apply -f kubernetes.yaml
until kubectl wait --for=condition=Ready pod -l "k6_cr=${name}-${region},runner=true" --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 --prefix --max-log-requests=${machines} -l "k6_cr=${name}-${region},runner=true" > "${LOGS_FOLDER}/${region}.log"
\`\`\``;
}
