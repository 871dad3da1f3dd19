// Sides that are built and started otherwise, for real.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preflight } from "@evenbench/preflight";
import { listTargets, run } from "@evenbench/runner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { small } from "../test/small.ts";
import { WITHOUT_NODE_ENV } from "./builds.ts";
import type { Side } from "./define.ts";
import { deployableOf, targetOfSide } from "./sides.ts";

const TARGETS = await listTargets();
let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "evenbench-sides-"));
});
afterAll(() => rm(out, { recursive: true, force: true }));

describe("an experiment's side leaks into no ordinary run", () => {
  const node = TARGETS.find(({ name }) => name === "node");
  if (node === undefined) throw new Error("There is no target node.");
  const cores = { split: null, restore: () => {} };
  const refusedBy = async (side: Side, pin: string) => {
    const target = targetOfSide("test-leak", side, node, cores);
    const cases = (await node.app.cases()).filter(({ id }) => id === "payload");
    const options = { cases: { bundle: cases }, otherCaseIds: ["react-ssr"], rounds: 1, generations: 2, out };
    await expect(run({ ...options, targets: [node, target] })).rejects.toThrow(new RegExp(`pin "${pin}"`));
    // Not even where nothing is beside it that it could differ from.
    await expect(run({ ...options, targets: [target] })).rejects.toThrow(new RegExp(`pin "${pin}"`));
  };

  test.each([
    ["V8 flags", { v8Flags: ["--max-semi-space-size=2"] }],
    ["an environment", { environment: { SOMETHING: "else" } }],
    ["workers", { workers: 2 }],
  ])("with %s of its own", async (_what, start) => {
    await refusedBy(small("other", "node", { start }), "experiment");
  });

  test("with a build of its own: it lies apart, leaves the ordinary one alone, and is refused by its own pins as well", async () => {
    const side = small("other", "node", { build: WITHOUT_NODE_ENV });
    const deployable = deployableOf("test-leak", side) ?? "";
    try {
      await WITHOUT_NODE_ENV.build(node, deployable);
      expect(existsSync(join(deployable, "server.mjs"))).toBe(true);
      expect(deployable).not.toBe(node.deployable);
      await refusedBy(side, "experiment");
      // Someone copies the folder and serves it as if it were the ordinary one.
      const smuggled = { ...node, name: "smuggled", deployable };
      const host = await smuggled.platform.serve({
        deployable,
        port: 0,
        logFile: join(out, "smuggled.log"),
        cores: null,
        workers: 1,
        v8Flags: [],
      });
      try {
        const { ok, problems } = await preflight({
          targets: [{ name: "smuggled", url: host.url }],
          cases: [],
        });
        expect(ok).toBe(false);
        expect(problems.map(({ pin }) => pin)).toContain("nodeEnv.artifact");
      } finally {
        await host.stop();
      }
    } finally {
      await rm(join(deployable, "../.."), { recursive: true, force: true });
    }
  });
});

test("cores of a side are one of the servers', or these and the client's", async () => {
  const node = TARGETS.find(({ name }) => name === "node");
  if (node === undefined) throw new Error("There is no target node.");
  const seen: (string | null)[] = [];
  const platform = {
    ...node.platform,
    serve: async ({ cores: own }: { cores: string | null }) => {
      seen.push(own);
      throw new Error("not started");
    },
  };
  const options = { deployable: "", port: 0, logFile: "", cores: "1-3", workers: 1, v8Flags: [] };
  const apart = { split: { client: "0", servers: "1-3" }, restore: () => {} };
  for (const cores of ["one", "all"] as const) {
    const target = targetOfSide("x", small("s", "node", { start: { cores } }), { ...node, platform }, apart);
    await target.platform.serve(options).catch(() => {});
  }
  expect(seen).toEqual(["1", "0,1-3"]);
  const side = small("s", "node", { start: { cores: "one" } });
  expect(() => targetOfSide("x", side, node, { split: null, restore: () => {} })).toThrow(/taskset/);
});
