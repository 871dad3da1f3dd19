// The README beside a plan: how it is played on machines, on Kubernetes, by hand and on AWS.
import { shellWord } from "@evenbench/core";
import { K6_VERSION } from "@evenbench/load/k6";
import { counted } from "@evenbench/page";
import { SECRET, VANTAGE_LABEL } from "./kubernetes.ts";
import { demandOf, LOGS_FOLDER, nameOfPlan, PLAN_FILE, SCRIPT_FILES, type VantagePlan } from "./plan.ts";

/** Bytes of a line in a log, as measured. */
const BYTES_OF_LINE = 400;

/** Largest number of regions of one test of Distributed Load Testing on AWS. */
export const MAX_DLT_REGIONS = 5;

/** Writes a block of commands. */
function shellBlock(commands: string): string {
  return `\`\`\`sh\n${commands}\n\`\`\``;
}

/** Writes the README of a plan. @param demand the sentence on its requests. @param folder path, as it was typed. */
export function readmeOf(
  plan: VantagePlan,
  demand: string,
  regions: readonly string[],
  folder: string,
): string {
  const here = shellWord(folder);
  const { title, rule } = introductionOf(plan);
  const script = SCRIPT_FILES[plan.kind];
  const sections = [
    `# ${title}: ${plan.cases.map(({ id }) => id).join(", ")}`,
    demand,
    `\`${PLAN_FILE}\` is the plan; \`${script}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. ${rule}`,
    "Commands of `npm run bench` are typed in the repository, all others in this folder.",
  ];
  if (plan.closed.length > 0) {
    sections.push(ON_THE_TOKEN);
  }
  sections.push(machinesSection(plan, here), kubernetesSection(plan, regions));
  if (plan.kind === "rounds") {
    sections.push(BY_HAND, ON_AWS);
  }
  sections.push(
    `## Afterwards\n\n${shellBlock(`npm run bench -- vantages collect ${here} ${here}/${LOGS_FOLDER}/*`)}`,
  );
  return `${sections.join("\n\n")}\n`;
}

/** The words at the beginning of a README. */
interface Introduction {
  readonly title: string;
  /** A rule for whoever starts the clients. */
  readonly rule: string;
}

function introductionOf(plan: VantagePlan): Introduction {
  if (plan.kind === "rate") {
    return {
      title: `Load from ${plan.machines} machines`,
      rule: "Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).",
    };
  }
  return {
    title: "Vantages",
    rule: "No two clients should run at the same time: they queue behind each other in one instance.",
  };
}

/** The section on closed targets. */
const ON_THE_TOKEN = `## The token

The targets are closed, and no file here has their token. \`vantages run\` takes it from deployments.json, or from EVENBENCH_TOKEN for hosts that \`--token-for\` names. Other engines take it from the environment:

${shellBlock(`export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"`)}`;

/** Writes the section on \`vantages run\`. @param here the folder as a word of a shell. */
function machinesSection(plan: VantagePlan, here: string): string {
  const places =
    plan.kind === "rate"
      ? Array.from({ length: plan.machines }, (_, index) => `m${index + 1}=ssh:me@vm${index + 1}`)
      : ["eu=ssh:me@vm1", "us=ssh:me@vm2", "here=local"];
  const options = places.map((place) => `--at ${place}`).join(" ");
  return `## Machines\n\n${shellBlock(`npm run bench -- vantages run ${here} ${options}`)}`;
}

/** Writes the section on Kubernetes. */
function kubernetesSection(plan: VantagePlan, regions: readonly string[]): string {
  const pods = plan.kind === "rate" ? plan.machines : 1;
  const megabytes = Math.ceil((demandOf(plan).requests * BYTES_OF_LINE) / pods / 1e6);
  const commands = kubernetesCommands(plan, regions, pods);
  return `## Kubernetes, with k6-operator

A region has a TestRun of ${counted(pods, "pod")}, which are removed once it is over: apply one region after another, and follow its logs from the start. A log of this plan has about ${megabytes} MB; one of more than 10 MiB loses its head, so plan fewer cases, trials or rounds at a time then.
With a cluster for each region, add \`--context <cluster>\` and take out \`nodeSelector\`.

${shellBlock(commands.join("\n"))}`;
}

/** Lists the commands that play a plan in one region. @param pods number of its clients there. */
function kubernetesCommands(plan: VantagePlan, regions: readonly string[], pods: number): readonly string[] {
  const ofRegion = `-l "k6_cr=${nameOfPlan(plan)}-$region,runner=true"`;
  const commands = [
    `region=${regions[0] ?? ""}   # ${regions.join(", ")}`,
    `kubectl apply -f kubernetes.yaml -l "${VANTAGE_LABEL} in (all, $region)"`,
    `until kubectl wait --for=condition=Ready pod ${ofRegion} --timeout=10m; do sleep 1; done`,
    `kubectl logs -f --tail=-1 --prefix --max-log-requests=${pods} ${ofRegion} > "${LOGS_FOLDER}/$region.log"`,
  ];
  if (plan.closed.length === 0) {
    return commands;
  }
  const makeSecret = `kubectl create secret generic ${SECRET} --from-env-file=/dev/stdin`;
  return [`printf 'EVENBENCH_TOKEN=%s\\n' "$EVENBENCH_TOKEN" | ${makeSecret}`, ...commands];
}

/** The section on a client that is started by hand. */
const BY_HAND = `## By hand, on any machine with k6

${shellBlock(`EVENBENCH_VANTAGE=eu GODEBUG=http2client=0 k6 run --quiet --log-format=raw ${SCRIPT_FILES.rounds} 2> ${LOGS_FOLDER}/eu.log`)}`;

/** The section on Distributed Load Testing on AWS. */
const ON_AWS = `## Distributed Load Testing on AWS

Make a test of type k6 with \`${SCRIPT_FILES.rounds}\` as its script and what \`dlt.json\` says: one task and one client in each region, at most ${MAX_DLT_REGIONS} regions.
Its clients speak HTTP/2, which it has no setting for: they cannot be mixed with vantages of another engine.

It passes no environment on. For closed targets put \`globalThis.EVENBENCH_TOKEN = "<token>";\` as a first line into the copy that you upload: the token then lies in the solution's S3 bucket, for everybody who may read that.

Our lines come back as \`k6-*.err\` files:

${shellBlock(`aws s3 cp --recursive --exclude '*' --include '*.err' "s3://<scenarios bucket>/results/<test id>/" ${LOGS_FOLDER}/`)}`;
