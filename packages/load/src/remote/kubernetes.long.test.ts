// k6-operator without a cluster: the words that it gives its pods, run here.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { claimPort } from "@evenbench/host";
import { expect, test } from "vitest";
import { K6, NEEDS_K6, planOf, readLog, scriptOf, startCountingServer } from "../../test/remote/index.ts";
import { sharesOf, sumOf } from "./plan.ts";
import { clientEnvironment } from "./play.ts";

/** By which a pod of a TestRun starts k6: read in jobs.NewRunnerJob of k6-operator v1.6.0, which is not compiled here. */
function wordsOfPod(pod: number, parallelism: number, script: string, port: number): readonly string[] {
  const edges = ["0", "1/2", "1"];
  const segment = [
    `--execution-segment=${edges[pod - 1]}:${edges[pod]}`,
    `--execution-segment-sequence=${edges.join(",")}`,
  ];
  const tags = ["--tag", `instance_id=${pod}`, "--tag", "testrun_name=evenbench"];
  return [
    ...["run", "--quiet", ...(parallelism > 1 ? segment : []), "--log-format=raw", script],
    ...[`--address=127.0.0.1:${port}`, "--paused", ...tags],
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
    const plan = planOf({ targets: { node: server.origin }, isClosed: true, trials: 4 });
    const script = await scriptOf(plan);
    const secrets = { EVENBENCH_TOKEN: "t".repeat(32), EVENBENCH_CLIENTS: String(parallelism) };
    const env = { ...process.env, ...clientEnvironment("us-east-1"), ...secrets };
    const pods: { readonly child: ChildProcess; readonly said: Promise<string>; readonly port: number }[] =
      [];
    try {
      for (let pod = 1; pod <= parallelism; pod++) {
        const port = await claimPort(0);
        const words = wordsOfPod(pod, parallelism, script, port);
        const child = spawn(K6, words, { env, stdio: ["ignore", "ignore", "pipe"] });
        pods.push({ child, port, said: textOf(child) });
      }
      expect(server.requests).toEqual([]);
      await Promise.all(pods.map(({ port }) => startPaused(port)));
      const logs = (await Promise.all(pods.map(({ said }) => said))).map(readLog);
      const exchanges = sumOf(sharesOf(plan)).requests;
      for (const [index, { begin, end }] of logs.entries()) {
        expect([begin?.vantage, begin?.client]).toEqual(["us-east-1", String(index + 1)]);
        expect(end).toMatchObject({ exchanges, failed: 0, stopped: null });
      }
      expect(server.requests).toHaveLength(parallelism * exchanges);
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
