import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatDuration, messageOf, parseJson, shellWord, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { clientEnvironment, K6_VERSION } from "@evenbench/load/k6";
import { counted, formatCount } from "@evenbench/page";
import { stringify } from "yaml";
import { bundlePlan } from "./bundle-plan.ts";
import {
  demandOf,
  LOGS_FOLDER,
  PLAN_FILE,
  type Plan,
  planHash,
  planText,
  type RoundsPlan,
  SCRIPT_FILES,
  slotMsOf,
  stagesOf,
} from "./plan.ts";
import { parsePlan } from "./read-plan.ts";

/** @returns what it asks of targets, in a sentence. @throws {UserError} where no engine could play it. */
export async function writePlan(made: Plan, folder: string, all: readonly string[]): Promise<string> {
  // As it will be read: whoever reads it makes the same script of it.
  const plan = parsePlan(parseJson(planText(made)));
  if (typeof plan === "string") {
    throw new UserError(`The plan cannot be written: ${plan}. Ask for less, or for other targets.`);
  }
  // A load is put on at one place.
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

export function nameOfPlan(plan: Plan): string {
  return `evenbench-${planHash(planText(plan)).slice(0, 8)}`;
}

function describeDemand(plan: Plan): string {
  const { requests, bytes, ms } = demandOf(plan);
  const megabytes = `${(bytes / 1e6).toFixed(1)} MB`;
  if (plan.kind === "rate") {
    const stages = stagesOf(plan).length;
    return `${counted(plan.machines, "machine")} together send ${formatCount(requests)} requests and receive ${megabytes}, in ${counted(stages, "stage")}; that takes ${formatDuration(stages * slotMsOf(plan))}.`;
  }
  const trials = plan.run.trials.minimum * plan.cases.length;
  return `Each client sends ${formatCount(requests)} requests and receives ${megabytes}, in ${formatCount(trials)} trials; that takes about ${formatDuration(ms)} from here.`;
}

const LARGEST_CONFIG_MAP = 1_048_576;
/** A core of its own keeps others out of a client's times. */
const CLIENT_RESOURCES = { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } };
/** By it one vantage is applied after another; the script's has the value "all". */
const VANTAGE_LABEL = "evenbench-vantage";
/** A command makes it, so that no file has the token. */
const SECRET = "evenbench-token";

/** For k6-operator: it divides a load among pods, and starts them together. */
export function kubernetesYaml(plan: Plan, script: string, regions: readonly string[]): string {
  if (Buffer.byteLength(script) > LARGEST_CONFIG_MAP) {
    throw new UserError(
      `The script has ${Buffer.byteLength(script)} bytes, and a ConfigMap holds ${LARGEST_CONFIG_MAP}. Plan fewer cases at a time.`,
    );
  }
  const name = nameOfPlan(plan);
  const file = SCRIPT_FILES[plan.kind];
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { [VANTAGE_LABEL]: "all" } },
    data: { [file]: script },
  };
  const runs = regions.map((region) => ({
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name: `${name}-${region}`, labels: { [VANTAGE_LABEL]: region } },
    spec: {
      parallelism: plan.kind === "rate" ? plan.machines : 1,
      cleanup: "post",
      arguments: "--log-format=raw",
      script: { configMap: { name, file } },
      runner: {
        image: `grafana/k6:${K6_VERSION}`,
        env: Object.entries(clientEnvironment(region)).map(([key, value]) => ({ name: key, value })),
        ...(plan.closed.length > 0 && { envFrom: [{ secretRef: { name: SECRET } }] }),
        nodeSelector: { "topology.kubernetes.io/region": region },
        resources: CLIENT_RESOURCES,
      },
    },
  }));
  return [configMap, ...runs].map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

const MOST_DLT_REGIONS = 5;
/** Networks elsewhere may be slower than what is expected. */
const TIMES_EXPECTED = 3;
const LONGER_MIN = 2;

export function dltJson(plan: RoundsPlan, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  const minutes = Math.ceil((TIMES_EXPECTED * demandOf(plan).ms) / 60_000) + LONGER_MIN;
  const test = {
    testName: name,
    testDescription: `Evenbench: ${plan.cases.map(({ id }) => id).join(", ")}`,
    testType: "k6",
    fileType: "script",
    testTaskConfigs: regions
      .slice(0, MOST_DLT_REGIONS)
      .map((region) => ({ region, taskCount: 1, concurrency: 1 })),
    testScenario: {
      execution: [{ "ramp-up": "0m", "hold-for": `${minutes}m`, scenario: name }],
      scenarios: { [name]: { script: SCRIPT_FILES.rounds } },
    },
    showLive: false,
  };
  return `${JSON.stringify(test, null, 2)}\n`;
}

/** As measured. */
const BYTES_OF_LINE = 400;

const shell = (commands: string) => `\`\`\`sh\n${commands}\n\`\`\``;

function readmeOf(plan: Plan, demand: string, regions: readonly string[], folder: string): string {
  const script = SCRIPT_FILES[plan.kind];
  const here = shellWord(folder);
  const isClosed = plan.closed.length > 0;
  const [machines, title, rule] =
    plan.kind === "rate"
      ? [
          Array.from({ length: plan.machines }, (_, index) => `m${index + 1}=ssh:me@vm${index + 1}`),
          `Load from ${plan.machines} machines`,
          "Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).",
        ]
      : [
          ["eu=ssh:me@vm1", "us=ssh:me@vm2", "here=local"],
          "Vantages",
          "No two clients should run at the same time: they queue behind each other in one instance.",
        ];
  const pods = plan.kind === "rate" ? plan.machines : 1;
  const megabytes = Math.ceil((demandOf(plan).requests * BYTES_OF_LINE) / pods / 1e6);
  const ofRegion = `-l "k6_cr=${nameOfPlan(plan)}-$region,runner=true"`;
  const kubernetes = [
    ...(isClosed
      ? [
          `printf 'EVENBENCH_TOKEN=%s\\n' "$EVENBENCH_TOKEN" | kubectl create secret generic ${SECRET} --from-env-file=/dev/stdin`,
        ]
      : []),
    `region=${regions[0] ?? ""}   # ${regions.join(", ")}`,
    `kubectl apply -f kubernetes.yaml -l "${VANTAGE_LABEL} in (all, $region)"`,
    `until kubectl wait --for=condition=Ready pod ${ofRegion} --timeout=10m; do sleep 1; done`,
    `kubectl logs -f --tail=-1 --prefix --max-log-requests=${pods} ${ofRegion} > "${LOGS_FOLDER}/$region.log"`,
  ];
  const token = `## The token

The targets are closed, and no file here has their token. \`vantages run\` takes it from deployments.json, or from EVENBENCH_TOKEN for hosts that \`--token-for\` names. Other engines take it from the environment:

${shell(`export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"`)}`;
  return `${[
    `# ${title}: ${plan.cases.map(({ id }) => id).join(", ")}`,
    demand,
    `\`${PLAN_FILE}\` is the plan; \`${script}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. ${rule}`,
    "Commands of `npm run bench` are typed in the repository, all others in this folder.",
    ...(isClosed ? [token] : []),
    `## Machines\n\n${shell(`npm run bench -- vantages run ${here} ${machines.map((at) => `--at ${at}`).join(" ")}`)}`,
    `## Kubernetes, with k6-operator

A region has a TestRun of ${counted(pods, "pod")}, which are removed once it is over: apply one region after another, and follow its logs from the start. A log of this plan has about ${megabytes} MB; one of more than 10 MiB loses its head, so plan fewer cases, trials or rounds at a time then.
With a cluster for each region, add \`--context <cluster>\` and take out \`nodeSelector\`.

${shell(kubernetes.join("\n"))}`,
    ...(plan.kind === "rate" ? [] : [BY_HAND, ON_AWS]),
    `## Afterwards\n\n${shell(`npm run bench -- vantages collect ${here} ${here}/${LOGS_FOLDER}/*`)}`,
  ].join("\n\n")}\n`;
}

const BY_HAND = `## By hand, on any machine with k6

${shell(`EVENBENCH_VANTAGE=eu GODEBUG=http2client=0 k6 run --quiet --log-format=raw ${SCRIPT_FILES.rounds} 2> ${LOGS_FOLDER}/eu.log`)}`;

const ON_AWS = `## Distributed Load Testing on AWS

Make a test of type k6 with \`${SCRIPT_FILES.rounds}\` as its script and what \`dlt.json\` says: one task and one client in each region, at most ${MOST_DLT_REGIONS} regions.
Its clients speak HTTP/2, which it has no setting for: they cannot be mixed with vantages of another engine.

It passes no environment on. For closed targets put \`globalThis.EVENBENCH_TOKEN = "<token>";\` as a first line into the copy that you upload: the token then lies in the solution's S3 bucket, for everybody who may read that.

Our lines come back as \`k6-*.err\` files:

${shell(`aws s3 cp --recursive --exclude '*' --include '*.err' "s3://<scenarios bucket>/results/<test id>/" ${LOGS_FOLDER}/`)}`;
