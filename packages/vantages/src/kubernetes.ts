// Plans on Kubernetes, by k6-operator.
import { UserError } from "@evenbench/core";
import { clientEnvironment, K6_VERSION } from "@evenbench/load/k6";
import { stringify } from "yaml";
import { nameOfPlan, SCRIPT_FILES, type VantagePlan } from "./plan.ts";

/** The largest ConfigMap, in bytes ("ConfigMaps" of the documentation of Kubernetes). */
const MAX_CONFIG_MAP_BYTES = 1_048_576;
/** The resources of a client: a core of its own keeps others out of its times. */
const CLIENT_RESOURCES = { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } };
/** The label by which one vantage is applied after another; that of the script has the value "all". */
export const VANTAGE_LABEL = "evenbench-vantage";
/** The name of the secret with the token. A command makes it, so that no file has the token. */
export const SECRET = "evenbench-token";

/**
 * Writes a plan for k6-operator, which divides a load among pods, a TestRun for each region.
 *
 * @throws {UserError} where the script is too large for a ConfigMap.
 */
export function kubernetesYaml(plan: VantagePlan, script: string, regions: readonly string[]): string {
  if (Buffer.byteLength(script) > MAX_CONFIG_MAP_BYTES) {
    throw new UserError(
      `The script has ${Buffer.byteLength(script)} bytes, and a ConfigMap holds ${MAX_CONFIG_MAP_BYTES}. Plan fewer cases at a time.`,
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
