// k6-operator without a cluster: the words that it gives its pods, run here.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { claimPort } from "@evenbench/host";
import { expect, test } from "vitest";
import {
  caseOf,
  K6,
  NEEDS_K6,
  planOf,
  readLog,
  scriptOf,
  startCountingServer,
  type TestRun,
  testRunsIn,
} from "../test/index.ts";
import { nameOfPlan } from "./plan.ts";
import { kubernetesYaml } from "./write-plan.ts";

const REGIONS = ["us-east-1", "eu-central-1"];

const plan = (origin = "http://127.0.0.1:9", isClosed = true) =>
  planOf({ targets: { node: origin }, cases: (targets) => [caseOf("trig", targets)], isClosed, trials: 4 });

test("each region is a TestRun of its own, and no file has the token", () => {
  const [first, second] = testRunsIn(kubernetesYaml(plan(), "// script", REGIONS));
  expect([first?.metadata.labels, second?.metadata.labels]).toEqual(
    REGIONS.map((region) => ({ "evenbench-vantage": region })),
  );
  expect(first?.spec).toMatchObject({
    parallelism: 1,
    runner: {
      envFrom: [{ secretRef: { name: "evenbench-token" } }],
      nodeSelector: { "topology.kubernetes.io/region": "us-east-1" },
    },
  });
  expect(testRunsIn(kubernetesYaml(plan(undefined, false), "", REGIONS))[0]?.spec.runner).not.toHaveProperty(
    "envFrom",
  );
});

test("a script that no ConfigMap holds is refused", () => {
  expect(() => kubernetesYaml(plan(), "x".repeat(1_048_577), REGIONS)).toThrow(/Plan fewer cases/);
});

/**
 * The words by which a pod of a TestRun starts k6: read in jobs.NewRunnerJob of k6-operator v1.6.0, which
 * is not compiled here.
 */
function wordsOfPod(
  { metadata, spec }: TestRun,
  pod: number,
  script: string,
  port: number,
): readonly string[] {
  const { parallelism } = spec;
  const edges = Array.from({ length: parallelism + 1 }, (_, edge) =>
    edge === 0 ? "0" : edge === parallelism ? "1" : `${edge}/${parallelism}`,
  );
  const segment = [
    `--execution-segment=${edges[pod - 1]}:${edges[pod]}`,
    `--execution-segment-sequence=${edges.join(",")}`,
  ];
  return [
    ...["run", "--quiet", ...(parallelism > 1 ? segment : []), ...spec.arguments.split(" "), script],
    ...[
      `--address=127.0.0.1:${port}`,
      "--paused",
      "--tag",
      `instance_id=${pod}`,
      "--tag",
      `testrun_name=${metadata.name}`,
    ],
  ];
}

/** What its starter sends to each pod when all are there. */
async function startPaused(port: number): Promise<void> {
  const body = JSON.stringify({
    data: { attributes: { paused: false, stopped: false }, id: "default", type: "status" },
  });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/status`, { method: "PATCH", body }).catch(
      () => null,
    );
    if (response?.ok) return;
    await delay(50);
  }
}

test.each([1, 2])(
  "with the operator's own words, %i pods play the plan once each",
  NEEDS_K6,
  async (parallelism) => {
    await using server = await startCountingServer();
    const planned = plan(server.origin);
    const script = await scriptOf(planned);
    const [testRun] = testRunsIn(kubernetesYaml(planned, "", REGIONS));
    if (testRun === undefined) throw new Error("There is no TestRun.");
    const spec = { ...testRun.spec, parallelism };
    const env = Object.fromEntries(testRun.spec.runner.env.map(({ name, value }) => [name, value]));
    const secrets = { EVENBENCH_TOKEN: "t".repeat(32), EVENBENCH_CLIENTS: String(parallelism) };
    const pods: { readonly child: ChildProcess; readonly said: Promise<string>; readonly port: number }[] =
      [];
    try {
      for (let pod = 1; pod <= parallelism; pod++) {
        const port = await claimPort(0);
        const words = wordsOfPod({ ...testRun, spec }, pod, script, port);
        const child = spawn(K6, words, {
          env: { ...process.env, ...env, ...secrets },
          stdio: ["ignore", "ignore", "pipe"],
        });
        pods.push({ child, port, said: textOf(child) });
      }
      expect(server.requests).toEqual([]);
      await Promise.all(pods.map(({ port }) => startPaused(port)));
      const logs = (await Promise.all(pods.map(({ said }) => said))).map(readLog);
      expect(logs.map(({ begin }) => [begin?.vantage, begin?.client])).toEqual(
        pods.map((_, index) => ["us-east-1", String(index + 1)]),
      );
      expect(logs.map(({ end }) => end)).toEqual(
        pods.map(() =>
          expect.objectContaining({ exchanges: [planned.counts.exchanges], failed: 0, stopped: null }),
        ),
      );
      expect(server.requests).toHaveLength(parallelism * planned.counts.exchanges);
      expect(testRun.metadata.name).toBe(`${nameOfPlan(planned)}-us-east-1`);
    } finally {
      for (const { child } of pods) child.kill("SIGKILL");
      await rm(dirname(script), { recursive: true });
    }
  },
);

async function textOf(child: ChildProcess): Promise<string> {
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text;
}
