import { shellWord } from "@evenbench/core";
import { K6_VERSION } from "../../get-k6.mjs";
import { LOGS_FOLDER, PLAN_FILE, type Plan, SCRIPT_FILES, type VantagePlan } from "../protocol/plan.ts";
import { nameOfPlan } from "./embed.ts";
import { MOST_DLT_REGIONS, secretCommand, VANTAGE_LABEL } from "./kubernetes.ts";

/** Bytes of a line of the log, as measured; and what a node of Kubernetes keeps of a pod's. */
const BYTES_OF_LINE = 400;
const KEPT_LOG_BYTES = 10 * 1024 * 1024;

export function readmeText(
  plan: VantagePlan,
  asked: readonly string[],
  regions: readonly string[],
  folder: string,
): string {
  const title = `Vantages: ${plan.cases.map(({ id }) => id).join(", ")}`;
  const rule = "No two clients should run at the same time: they queue behind each other in one instance.";
  const parts = [machinesPart(folder), kubernetesPart(plan, regions), dltPart(plan)];
  return planReadme(plan, { title, asked, rule, parts, folder });
}

export interface ReadmeParts {
  readonly title: string;
  readonly asked: readonly string[];
  readonly rule: string;
  readonly parts: readonly string[];
  readonly folder: string;
}

export function planReadme(plan: Plan, { title, asked, rule, parts, folder }: ReadmeParts): string {
  return `${[
    `# ${title}`,
    asked.join("\n"),
    `\`${PLAN_FILE}\` is the plan; \`${SCRIPT_FILES[plan.kind]}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. ${rule}`,
    "Commands of `npm run bench` are typed in the repository, all others in this folder.",
    ...tokenPart(plan),
    ...parts,
    `## Afterwards\n\n\`\`\`sh\nnpm run bench -- vantages collect ${shellWord(folder)} ${shellWord(folder)}/${LOGS_FOLDER}/*\n\`\`\``,
  ].join("\n\n")}\n`;
}

function machinesPart(folder: string): string {
  return `## Machines

\`\`\`sh
npm run bench -- vantages run ${shellWord(folder)} --at eu=ssh:me@vm1 --at us=ssh:me@vm2 --at here=local
\`\`\`

Or by hand, on any machine with k6:

\`\`\`sh
EVENBENCH_VANTAGE=eu GODEBUG=http2client=0 k6 run --quiet --log-format=raw ${SCRIPT_FILES.rounds} 2> ${LOGS_FOLDER}/eu.log
\`\`\``;
}

function kubernetesPart(plan: VantagePlan, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  const first = regions[0] ?? "";
  return `## Kubernetes, with k6-operator

One region after another. Follow the log from the start: once a TestRun is over, its pods are removed, and after 10 MiB a log loses its head.${tooLong(plan)}
With a cluster for each region, add \`--context <cluster>\` and take out \`nodeSelector\`.

\`\`\`sh
${secretCommand(plan)}region=${first}   # ${regions.join(", ")}
kubectl apply -f kubernetes.yaml -l "${VANTAGE_LABEL} in (all, $region)"
until kubectl wait --for=condition=Ready pod -l "k6_cr=${name}-$region,runner=true" --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 -l "k6_cr=${name}-$region,runner=true" > "${LOGS_FOLDER}/$region.log"
\`\`\``;
}

function tooLong({ counts }: VantagePlan): string {
  const bytes = counts.exchanges * BYTES_OF_LINE;
  if (bytes <= KEPT_LOG_BYTES) return "";
  return `\n**This plan's log has about ${Math.round(bytes / 1e6)} MB: plan fewer cases, trials or rounds at a time for Kubernetes.**`;
}

function dltPart({ closed }: VantagePlan): string {
  const token =
    closed.length > 0
      ? '\n\nIt passes no environment on. For closed targets put `globalThis.EVENBENCH_TOKEN = "<token>";` as a first line into the copy that you upload: the token then lies in the solution\'s S3 bucket, for everybody who may read that.'
      : "";
  return `## Distributed Load Testing on AWS

Make a test of type k6 with \`${SCRIPT_FILES.rounds}\` as its script and what \`dlt.json\` says: one task and one client in each region, at most ${MOST_DLT_REGIONS} regions.
Its clients speak HTTP/2, which it has no setting for: they cannot be mixed with vantages of another engine.${token}

Our lines come back as \`k6-*.err\` files:

\`\`\`sh
aws s3 cp --recursive --exclude '*' --include '*.err' "s3://<scenarios bucket>/results/<test id>/" ${LOGS_FOLDER}/
\`\`\``;
}

function tokenPart({ closed }: Plan): readonly string[] {
  if (closed.length === 0) return [];
  return [
    `## The token

The targets are closed. Their token comes from the environment alone; no file here has it.

\`\`\`sh
export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"
\`\`\``,
  ];
}
