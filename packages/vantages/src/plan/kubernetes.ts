import { UserError } from "@evenbench/core";
import { stringify } from "yaml";
import { K6_VERSION } from "../../get-k6.mjs";
import { type Plan, SCRIPT_FILES, type VantagePlan } from "../protocol/plan.ts";
import { clientEnvironment } from "../run/play-at.ts";
import { nameOfPlan } from "./embed.ts";

/** As much as a ConfigMap holds, in bytes. */
const LARGEST_CONFIG_MAP = 1_048_576;
/**
 * A client is one thread of requests, and looks at bodies between them: a core keeps others out of its
 * times.
 */
const CLIENT_RESOURCES = { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } };

/** The label by which one vantage is applied after another; the script's has the value "all". */
export const VANTAGE_LABEL = "evenbench-vantage";

/** The Secret that holds EVENBENCH_TOKEN; a command makes it, so that no file has the token. */
const SECRET = "evenbench-token";

export function secretCommand({ closed }: { readonly closed: readonly string[] }): string {
  if (closed.length === 0) return "";
  return `printf 'EVENBENCH_TOKEN=%s\\n' "$EVENBENCH_TOKEN" | kubectl create secret generic ${SECRET} --from-env-file=/dev/stdin\n`;
}

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
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: nameOfPlan(plan), labels: { [VANTAGE_LABEL]: "all" } },
    data: { [SCRIPT_FILES[plan.kind]]: script },
  };
  const runs = regions.map((region) => testRun(plan, region));
  return [configMap, ...runs].map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

function testRun(plan: Plan, region: string) {
  const name = nameOfPlan(plan);
  return {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name: `${name}-${region}`, labels: { [VANTAGE_LABEL]: region } },
    spec: {
      parallelism: plan.kind === "rate" ? plan.machines : 1,
      cleanup: "post",
      arguments: "--log-format=raw",
      script: { configMap: { name, file: SCRIPT_FILES[plan.kind] } },
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
  };
}

/** Regions that one test of Distributed Load Testing on AWS takes at most. */
export const MOST_DLT_REGIONS = 5;

/**
 * Networks elsewhere are slower than the one that the plan was made on: the test is held for so many times
 * what is expected, and this longer.
 */
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
