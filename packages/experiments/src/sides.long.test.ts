// Sides that are built and started otherwise, for real.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { splitCores } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LocalTarget, listTargets, run } from "@evenbench/runner";
import { describe, expect, test, vi } from "vitest";
import { small } from "../test/measured.ts";
import type { Side } from "./define.ts";
import { deployableOf, targetOfSide, WITHOUT_NODE_ENV } from "./sides.ts";

const node = (await listTargets()).find(({ name }) => name === "node") as LocalTarget;
const out = testFolder();

describe("an experiment's side leaks into no ordinary run", () => {
  const isRefused = async (side: Side) => {
    const target = targetOfSide("test-leak", side, node);
    const cases = (await node.app.cases()).filter(({ id }) => id === "payload");
    const options = { cases: { bundle: cases }, otherCaseIds: ["react-ssr"], rounds: 1, trials: 2, out };
    // Not even where nothing is beside it that it could differ from.
    for (const targets of [[node, target], [target]]) {
      await expect(run({ ...options, targets })).rejects.toThrow('setting "experiment"');
    }
  };

  test.each([
    ["V8 flags", { v8Flags: ["--max-semi-space-size=2"] }],
    ["workers", { workers: 2 }],
  ])("with %s of its own", async (_what, start) => {
    await isRefused(small("other", "node", { start }));
  });

  test("with a build of its own: it lies apart, leaves the ordinary one alone, and is refused", async () => {
    const side = small("other", "node", { build: WITHOUT_NODE_ENV });
    const deployable = deployableOf("test-leak", side) ?? "";
    try {
      await WITHOUT_NODE_ENV.build(node, deployable);
      expect(existsSync(join(deployable, "server.mjs"))).toBe(true);
      expect(deployable).not.toBe(node.deployable);
      await isRefused(side);
    } finally {
      await rm(join(deployable, "../.."), { recursive: true, force: true });
    }
  });
});

describe("cores of a side", () => {
  /** The CPU list with which the side is started where servers have `cores`. */
  async function startedOn(sideCores: "one" | "all", cores: string | null): Promise<string | null> {
    let seen: string | null = "not started";
    const serve: LocalTarget["platform"]["serve"] = async (options) => {
      seen = options.cores;
      throw new Error("For a test.");
    };
    const side = small("s", "node", { start: { cores: sideCores } });
    const { platform } = targetOfSide("x", side, { ...node, platform: { ...node.platform, serve } });
    const options = { deployable: "", port: 0, logFile: "", cores, workers: 1, v8Flags: [] };
    await expect(platform.serve(options)).rejects.toThrow(/For a test|taskset/);
    return seen;
  }

  const split = splitCores();
  test.runIf(split !== null)("are one of the servers', or these and the client's", async () => {
    const client = split?.client.split(",")[0];
    expect(await startedOn("one", null)).toBe(client);
    expect(await startedOn("all", null)).toBeNull();
    expect(await startedOn("one", "5-7")).toBe("5");
    const all = (await startedOn("all", "5-7"))?.split(",") ?? [];
    expect(all).toEqual(expect.arrayContaining(["5", "6", "7", client]));
  });

  test("are not one where nothing can be confined: it is not started", async () => {
    vi.stubEnv("PATH", "");
    expect(await startedOn("one", null)).toBe("not started");
  });
});
