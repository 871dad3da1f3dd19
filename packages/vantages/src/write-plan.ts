import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatDuration, messageOf, openRecord, shellWord, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { costOn, pricesOf } from "@evenbench/report";
import { counted, formatCount } from "@evenbench/report/parts";
import type { OpenLoad } from "@evenbench/results";
import { build } from "esbuild";
import { stringify } from "yaml";
import { K6_VERSION } from "../get-k6.mjs";
import { type MadePlan, shareOfTarget } from "./make-plan.ts";
import {
  LOGS_FOLDER,
  nameOfPlan,
  PLAN_FILE,
  type Plan,
  type PlannedStage,
  planHash,
  planText,
  type RatePlan,
  SCRIPT_FILES,
  type VantagePlan,
} from "./plan.ts";
import { clientEnvironment } from "./play.ts";
import { dueCount, rateOf, type StagePlan } from "./rate.ts";
import type { EmbeddedRate } from "./script/rate.ts";
import type { EmbeddedRounds } from "./script/rounds.ts";

/** Writes a plan, its script for k6, and what each engine needs. @returns what it asks of targets, in lines. */
export async function writePlan(
  made: MadePlan,
  folder: string,
  regions: readonly string[],
): Promise<readonly string[]> {
  const { plan } = made;
  const isRate = plan.kind === "rate";
  const script = isRate ? await bundleRateScript(embedRate(plan)) : await bundleScript(embedPlan(plan));
  const asked = askedFor(made);
  const files = {
    [PLAN_FILE]: planText(plan),
    [SCRIPT_FILES[plan.kind]]: script,
    "kubernetes.yaml": kubernetesYaml(plan, script, regions),
    ...(isRate ? {} : { "dlt.json": dltJson(plan, regions) }),
    "README.md": readmeOf(plan, asked, regions, folder),
  };
  await refuseFull(folder);
  try {
    makeFolder(join(folder, LOGS_FOLDER));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (error) {
    throw new UserError(
      `The plan cannot be written: ${messageOf(error)}. Give another folder: --out <folder>.`,
    );
  }
  return asked;
}

/** Logs of one plan beside another plan would be taken for its own. */
async function refuseFull(folder: string): Promise<void> {
  const there = await readdir(folder).catch(() => []);
  if (there.length === 0) return;
  throw new UserError(`${folder} holds files already. Give an empty or new folder: --out <folder>.`);
}

export function embedPlan(plan: VantagePlan): EmbeddedRounds {
  const { run, cases, origins, closed, counts, exchangeTimeoutMs } = plan;
  const copies = run.targets.filter(({ copyOf }) => copyOf !== null);
  return {
    hash: planHash(planText(plan)),
    seed: run.seed,
    trials: run.trials.minimum,
    rounds: run.roundsPerTrial ?? 0,
    warmUp: run.warmUpExchanges ?? 0,
    digestEvery: run.digestEvery,
    timeoutMs: exchangeTimeoutMs,
    cases,
    origins,
    copies: copies.map(({ name }) => name),
    hosts: openRecord(copies.map(({ name, url }) => [name, new URL(url ?? "").host] as const)),
    closed,
    exchanges: counts.exchanges,
  };
}

function embedRate(plan: RatePlan): EmbeddedRate {
  const { slotMs, stages } = plan;
  return {
    hash: planHash(planText(plan)),
    slotMs,
    stages: stages.map((stage) => stagePlanOf(plan, stage)),
    isWatched: false,
  };
}

export function openLoadOf({ load }: RatePlan, stage: PlannedStage): OpenLoad {
  const found = load.loads[stage.load];
  if (found?.kind !== "open") throw new Error("A plan for several machines has rates only.");
  return found;
}

export function stagePlanOf(plan: RatePlan, stage: PlannedStage): StagePlan {
  const load = openLoadOf(plan, stage);
  const request = plan.requests[stage.caseId];
  const origin = plan.origins[stage.target];
  if (request === undefined || origin === undefined) throw new Error("The plan lacks a case or a target.");
  return {
    origins: [origin],
    ...request,
    timeoutMs: plan.exchangeTimeoutMs,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: plan.load.stageMs,
    isClosed: plan.closed.includes(stage.target),
  };
}

export function bundleScript(plan: EmbeddedRounds): Promise<string> {
  return bundleForK6("rounds.ts", plan);
}

export function bundleRateScript(plan: EmbeddedRate): Promise<string> {
  return bundleForK6("rate.ts", plan);
}

async function bundleForK6(entry: string, plan: object): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "script", entry)],
    bundle: true,
    write: false,
    format: "esm",
    // Modules of k6 itself: they exist only inside of it.
    external: ["k6", "k6/*"],
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "none",
    minifySyntax: true,
    minifyWhitespace: true,
    define: { EVENBENCH_PLAN: JSON.stringify(plan) },
  });
  return outputFiles[0]?.text ?? "";
}

/** What is asked of a platform; `waitedMs` counts as its CPU time, which is the most that it can be. */
interface PlatformShare {
  readonly platform: string | null;
  readonly requests: number;
  readonly bytes: number;
  readonly waitedMs: number;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export function askedFor({ plan, seenMs }: MadePlan): readonly string[] {
  if (plan.kind === "rate") {
    const shares = plan.stages.map((stage): PlatformShare => {
      const { expected, connections, ...own } = stagePlanOf(plan, stage);
      // One more on each connection opens it.
      const requests = dueCount(own) + connections;
      return {
        platform: plan.identities[stage.target]?.platform ?? null,
        requests,
        bytes: requests * expected.bytes,
        waitedMs: requests * (seenMs[stage.caseId]?.[stage.target] ?? 0),
      };
    });
    const [requests, bytes] = [sumOf(shares, "requests"), sumOf(shares, "bytes")];
    return [
      `${counted(plan.machines, "machine")} together send ${formatCount(requests)} requests and receive ${megabytes(bytes)}, in ${counted(plan.stages.length, "stage")}; that takes ${formatDuration(plan.stages.length * plan.slotMs)}.`,
      ...askedByPlatform(shares, pricesOf(plan.load.targets.map(({ target }) => target))),
    ];
  }
  const { exchanges, bytes, expectedMs, trials } = plan.counts;
  const shares = plan.run.targets.flatMap(({ name, copyOf, platform }) =>
    plan.cases
      .filter(({ targets }) => targets.includes(name))
      .map((planned): PlatformShare => {
        const share = shareOfTarget(plan.run, planned);
        return { platform, ...share, waitedMs: share.requests * (seenMs[planned.id]?.[copyOf ?? name] ?? 0) };
      }),
  );
  return [
    `Each client sends ${formatCount(exchanges)} requests and receives ${megabytes(bytes)}, in ${formatCount(trials)} trials; that takes about ${formatDuration(expectedMs)} from here.`,
    ...askedByPlatform(shares, pricesOf(plan.run.targets)),
  ];
}

function sumOf(shares: readonly PlatformShare[], of: "requests" | "bytes" | "waitedMs"): number {
  return shares.reduce((sum, share) => sum + share[of], 0);
}

function askedByPlatform(
  shares: readonly PlatformShare[],
  prices: ReturnType<typeof pricesOf>,
): readonly string[] {
  const byPlatform = Map.groupBy(shares, ({ platform }) => platform ?? "elsewhere");
  return [...byPlatform].map(([platform, own]) => {
    const requests = sumOf(own, "requests");
    const usd = requests === 0 ? null : costOn(platform, sumOf(own, "waitedMs") / requests, prices);
    const most =
      usd === null
        ? "no price is known"
        : `at most $${((usd * requests) / 1000).toPrecision(2)} of CPU time; its requests and traffic are charged besides`;
    return `  ${platform}: ${formatCount(requests)} requests, ${megabytes(sumOf(own, "bytes"))}: ${most}`;
  });
}

const LARGEST_CONFIG_MAP = 1_048_576;
/** A client is one thread of requests, and looks at bodies between them: a core keeps others out of its times. */
const CLIENT_RESOURCES = { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } };
/** The label by which one vantage is applied after another; the script's has the value "all". */
const VANTAGE_LABEL = "evenbench-vantage";
/** The Secret that holds EVENBENCH_TOKEN; a command makes it, so that no file has the token. */
const SECRET = "evenbench-token";

/**
 * What k6-operator takes: the script as a ConfigMap, and one TestRun for each region. It divides a load among
 * pods, and starts them together.
 */
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
        env: Object.entries(clientEnvironment(region)).map(([variable, value]) => ({
          name: variable,
          value,
        })),
        ...(plan.closed.length > 0 ? { envFrom: [{ secretRef: { name: SECRET } }] } : {}),
        nodeSelector: { "topology.kubernetes.io/region": region },
        resources: CLIENT_RESOURCES,
      },
    },
  }));
  return [configMap, ...runs].map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

const MOST_DLT_REGIONS = 5;
/** Networks elsewhere may be slower: the test is held for so many times what is expected, and this longer. */
const TIMES_EXPECTED = 3;
const LONGER_MIN = 2;

export function dltJson(plan: VantagePlan, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  const minutes = Math.ceil((TIMES_EXPECTED * plan.counts.expectedMs) / 60_000) + LONGER_MIN;
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

/** Bytes of a line of the log, as measured; and what a node of Kubernetes keeps of a pod's. */
const BYTES_OF_LINE = 400;
const KEPT_LOG_BYTES = 10 * 1024 * 1024;

function readmeOf(plan: Plan, asked: readonly string[], regions: readonly string[], folder: string): string {
  const { title, rule, parts } =
    plan.kind === "rate" ? ofRate(plan, regions, folder) : ofRounds(plan, regions, folder);
  return `${[
    `# ${title}`,
    asked.join("\n"),
    `\`${PLAN_FILE}\` is the plan; \`${SCRIPT_FILES[plan.kind]}\` is all that k6 needs. Tried with k6 ${K6_VERSION}. ${rule}`,
    "Commands of `npm run bench` are typed in the repository, all others in this folder.",
    ...tokenPart(plan),
    ...parts,
    `## Afterwards\n\n${shell(`npm run bench -- vantages collect ${shellWord(folder)} ${shellWord(folder)}/${LOGS_FOLDER}/*`)}`,
  ].join("\n\n")}\n`;
}

const shell = (commands: string) => `\`\`\`sh\n${commands}\n\`\`\``;

function tokenPart({ closed }: Plan): readonly string[] {
  if (closed.length === 0) return [];
  return [
    `## The token

The targets are closed. Their token comes from the environment alone; no file here has it.

${shell(`export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"`)}`,
  ];
}

function secretCommand({ closed }: Plan): string {
  if (closed.length === 0) return "";
  return `printf 'EVENBENCH_TOKEN=%s\\n' "$EVENBENCH_TOKEN" | kubectl create secret generic ${SECRET} --from-env-file=/dev/stdin\n`;
}

/** @param region as the shell reads it. */
function kubectlCommands(plan: Plan, region: string, apply: string, follow: string): string {
  const pods = `-l "k6_cr=${nameOfPlan(plan)}-${region},runner=true"`;
  return `kubectl apply -f kubernetes.yaml${apply}
until kubectl wait --for=condition=Ready pod ${pods} --timeout=10m; do sleep 1; done
kubectl logs -f --tail=-1 ${follow}${pods} > "${LOGS_FOLDER}/${region}.log"`;
}

function ofRate(plan: RatePlan, [region = ""]: readonly string[], folder: string) {
  const at = Array.from({ length: plan.machines }, (_, index) => `--at m${index + 1}=ssh:me@vm${index + 1}`);
  const follow = `--prefix --max-log-requests=${plan.machines} `;
  return {
    title: `Load from ${plan.machines} machines: ${plan.load.cases.map(({ id }) => id).join(", ")}`,
    rule: "Each machine puts an equal part of every rate on the target. They must begin at the same time: clocks have to be set by the network (NTP).",
    parts: [
      `## Machines\n\n${shell(`npm run bench -- vantages run ${shellWord(folder)} ${at.join(" ")}`)}`,
      `## Kubernetes, with k6-operator

One TestRun of ${plan.machines} pods, which the operator starts together. Follow the logs from the start: after 10 MiB a log loses its head.

${shell(`${secretCommand(plan)}${kubectlCommands(plan, region, "", follow)}`)}`,
    ],
  };
}

function ofRounds(plan: VantagePlan, regions: readonly string[], folder: string) {
  const bytes = plan.counts.exchanges * BYTES_OF_LINE;
  const tooLong =
    bytes <= KEPT_LOG_BYTES
      ? ""
      : `\n**This plan's log has about ${Math.round(bytes / 1e6)} MB: plan fewer cases, trials or rounds at a time for Kubernetes.**`;
  const inS3 =
    plan.closed.length === 0
      ? ""
      : '\n\nIt passes no environment on. For closed targets put `globalThis.EVENBENCH_TOKEN = "<token>";` as a first line into the copy that you upload: the token then lies in the solution\'s S3 bucket, for everybody who may read that.';
  const apply = ` -l "${VANTAGE_LABEL} in (all, $region)"`;
  return {
    title: `Vantages: ${plan.cases.map(({ id }) => id).join(", ")}`,
    rule: "No two clients should run at the same time: they queue behind each other in one instance.",
    parts: [
      `## Machines

${shell(`npm run bench -- vantages run ${shellWord(folder)} --at eu=ssh:me@vm1 --at us=ssh:me@vm2 --at here=local`)}

Or by hand, on any machine with k6:

${shell(`EVENBENCH_VANTAGE=eu GODEBUG=http2client=0 k6 run --quiet --log-format=raw ${SCRIPT_FILES.rounds} 2> ${LOGS_FOLDER}/eu.log`)}`,
      `## Kubernetes, with k6-operator

One region after another. Follow the log from the start: once a TestRun is over, its pods are removed, and after 10 MiB a log loses its head.${tooLong}
With a cluster for each region, add \`--context <cluster>\` and take out \`nodeSelector\`.

${shell(`${secretCommand(plan)}region=${regions[0] ?? ""}   # ${regions.join(", ")}\n${kubectlCommands(plan, "$region", apply, "")}`)}`,
      `## Distributed Load Testing on AWS

Make a test of type k6 with \`${SCRIPT_FILES.rounds}\` as its script and what \`dlt.json\` says: one task and one client in each region, at most ${MOST_DLT_REGIONS} regions.
Its clients speak HTTP/2, which it has no setting for: they cannot be mixed with vantages of another engine.${inS3}

Our lines come back as \`k6-*.err\` files:

${shell(`aws s3 cp --recursive --exclude '*' --include '*.err' "s3://<scenarios bucket>/results/<test id>/" ${LOGS_FOLDER}/`)}`,
    ],
  };
}
