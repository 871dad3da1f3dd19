import { join } from "node:path";
import { type LoadSample, readLoad } from "@evenbench/results";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { scratchFolder } from "@evenbench/runner/testing";
import { expect, test } from "vitest";
import { runLoad } from "./run-load.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";

test("every connection to a target that is closed, as deployed ones are, has its token", async () => {
  await using scratch = await scratchFolder();
  const node = (await listTargets()).find(({ name }) => name === "node") as LocalTarget;
  const host = await node.platform.serve({
    deployable: node.deployable,
    port: 0,
    logFile: join(scratch.path, "log"),
    cores: null,
    workers: 1,
    v8Flags: [],
    token: TOKEN,
  });
  try {
    const target = { place: "url", name: "closed", app: "bundle", url: host.url, token: TOKEN } as const;
    const samples: LoadSample[] = [];
    const { folder } = await runLoad({
      targets: [{ name: "closed", target, instances: 1, workers: 1, parameters: {} }],
      goal: { kind: "sweep", loads: [{ kind: "closed", connections: 3 }] },
      cases: { bundle: (await node.app.cases()).filter(({ id }) => id === "empty") },
      trials: 1,
      timeMs: 1000,
      seed: 5,
      out: scratch.path,
      serverCores: "all",
    });
    await readLoad(folder, (sample) => samples.push(sample));
    expect(new Set(samples.map(({ connection }) => connection)).size).toBe(3);
    expect(samples.filter(({ error }) => error !== null)).toEqual([]);
  } finally {
    await host.stop();
  }
});
