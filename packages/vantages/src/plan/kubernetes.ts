import { UserError } from "@evenbench/core";
import { stringify } from "yaml";
import { K6_VERSION } from "../../get-k6.mjs";
import { SCRIPT_FILE, type VantagePlan } from "../protocol/plan.ts";
import { nameOfPlan } from "./embed.ts";

/** As much as a ConfigMap holds, in bytes. */
const LARGEST_CONFIG_MAP = 1_048_576;
/** A client is one thread of requests, and looks at bodies between them: a core keeps others out of its times. */
const CLIENT_RESOURCES = { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } };

/** The label by which one vantage is applied after another; the script's has the value "all". */
export const VANTAGE_LABEL = "evenbench-vantage";

/** The Secret that holds EVENBENCH_TOKEN; a command makes it, so that no file has the token. */
export const SECRET = "evenbench-token";

/**
 * What k6-operator takes: the script as a ConfigMap, and one TestRun for each region.
 *
 * @throws {UserError} when the script is too large for a ConfigMap.
 */
export function kubernetesYaml(plan: VantagePlan, script: string, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  if (Buffer.byteLength(script) > LARGEST_CONFIG_MAP) {
    throw new UserError(
      `The script has ${Buffer.byteLength(script)} bytes, and a ConfigMap holds ${LARGEST_CONFIG_MAP}. Plan fewer cases at a time.`,
    );
  }
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { [VANTAGE_LABEL]: "all" } },
    data: { [SCRIPT_FILE]: script },
  };
  const runs = regions.map((region) => testRun(name, region, plan.closed.length > 0));
  return [configMap, ...runs].map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

function testRun(plan: string, region: string, isClosed: boolean) {
  return {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name: `${plan}-${region}`, labels: { [VANTAGE_LABEL]: region } },
    spec: {
      parallelism: 1,
      cleanup: "post",
      arguments: "--log-format=raw",
      script: { configMap: { name: plan, file: SCRIPT_FILE } },
      runner: {
        image: `grafana/k6:${K6_VERSION}`,
        env: [
          { name: "EVENBENCH_VANTAGE", value: region },
          // HTTP/1.1, as runs from one machine have it.
          { name: "GODEBUG", value: "http2client=0" },
          { name: "K6_NO_USAGE_REPORT", value: "true" },
        ],
        ...(isClosed ? { envFrom: [{ secretRef: { name: SECRET } }] } : {}),
        nodeSelector: { "topology.kubernetes.io/region": region },
        resources: CLIENT_RESOURCES,
      },
    },
  };
}
