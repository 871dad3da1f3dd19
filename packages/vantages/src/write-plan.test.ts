import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { planOf } from "../test/plans.ts";
import { kubernetesYaml } from "./kubernetes.ts";
import { nameOfPlan } from "./plan.ts";
import { parsePlaces } from "./play.ts";
import { dltJson } from "./write-plan.ts";

const REGIONS = ["us-east-1", "eu-central-1", "ap-northeast-1", "sa-east-1", "eu-west-1", "us-west-2"];
const plan = (isClosed = false) => planOf({ targets: { node: "http://127.0.0.1:9" }, isClosed });

test("for AWS a test has one client in each region, at most five, and the time for its plan", () => {
  // 30 requests of two targets, 10 minutes together.
  const test = JSON.parse(dltJson({ ...plan(), seenMs: { trig: { node: 10_000 } } }, REGIONS));
  expect(test.testTaskConfigs).toEqual(
    REGIONS.slice(0, 5).map((region) => ({ region, taskCount: 1, concurrency: 1 })),
  );
  expect(test.testScenario.execution[0]["hold-for"]).toBe("32m");
});

test.each([true, false])(
  "for Kubernetes each region is a TestRun of its own (closed targets: %s), and no file has the token",
  (isClosed) => {
    const planned = plan(isClosed);
    const name = nameOfPlan(planned);
    const yaml = kubernetesYaml(planned, "// script", REGIONS);
    const [script, ...runs] = parseAllDocuments(yaml).map((document) => document.toJS());
    expect(script).toMatchObject({
      kind: "ConfigMap",
      metadata: { name },
      data: { "vantages.js": "// script" },
    });
    expect(runs).toHaveLength(REGIONS.length);
    // The fields and their types as k6-operator v1.6.0 has them in its resource definition, and no others.
    expect(runs[1]).toEqual({
      apiVersion: "k6.io/v1alpha1",
      kind: "TestRun",
      metadata: { name: `${name}-eu-central-1`, labels: { "evenbench-vantage": "eu-central-1" } },
      spec: {
        parallelism: 1,
        cleanup: "post",
        arguments: "--log-format=raw",
        script: { configMap: { name, file: "vantages.js" } },
        runner: {
          image: "grafana/k6:2.2.0",
          env: [
            { name: "EVENBENCH_VANTAGE", value: "eu-central-1" },
            { name: "GODEBUG", value: "http2client=0" },
            { name: "K6_NO_USAGE_REPORT", value: "true" },
          ],
          ...(isClosed && { envFrom: [{ secretRef: { name: "evenbench-token" } }] }),
          nodeSelector: { "topology.kubernetes.io/region": "eu-central-1" },
          resources: { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "1Gi" } },
        },
      },
    });
  },
);

test("a script that no ConfigMap holds is refused", () => {
  expect(() => kubernetesYaml(plan(), "x".repeat(1_048_577), REGIONS)).toThrow(/Plan fewer cases/);
});

test("a vantage is this machine, or what ssh reaches", () => {
  expect(parsePlaces(["here=local", "eu=ssh:me@vm1.example"])).toEqual([
    { vantage: "here", destination: null },
    { vantage: "eu", destination: "me@vm1.example" },
  ]);
});

test.each([
  [["../eu=local"], /is not a vantage/],
  [["eu=vm1"], /is not a vantage/],
  // It would be an option of ssh.
  [["eu=ssh:-oProxyCommand=x"], /is not a vantage/],
  [["eu=ssh:vm1 reboot"], /is not a vantage/],
  // One log read twice.
  [["eu=local", "eu=ssh:vm1"], /Two vantages are named "eu"/],
])("%j is refused", (words, message) => {
  expect(() => parsePlaces(words)).toThrow(message);
});
