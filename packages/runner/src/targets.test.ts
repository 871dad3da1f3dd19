import { defineApp, definePlatform, type Host, namePlatform } from "@evenbench/core";
import { describe, expect, test } from "vitest";
import type { LocalTarget, Target } from "./options.ts";
import { listTargets, measuredTargetsOf, runTargetOf } from "./targets.ts";

const definition = definePlatform({
  title: "",
  description: "",
  serve: (): Promise<Host> => Promise.reject(),
  close: async () => {},
  size: async () => ({ bytes: 0, gzipBytes: 0, limit: null }),
});
const local = (appId: string, platform: string, name: string): LocalTarget => ({
  place: "local",
  name,
  app: defineApp({ id: appId, title: "", cases: async () => [], deployable: () => "/deployable" }),
  platform: namePlatform(platform, definition),
  deployable: "/deployable",
});
const targets: readonly Target[] = [
  local("bundle", "cloudflare", "cloudflare"),
  local("bundle", "node", "node"),
  local("next", "cloudflare", "next-cloudflare"),
  local("next", "node", "next-node"),
  local("other", "cloudflare", "other-cloudflare"),
  { place: "url", name: "mine", app: "bundle", url: "https://mine.example" },
];
const namesOf = (appId: string, baseline: string) =>
  measuredTargetsOf(targets, appId, baseline).map(({ name, copyOf }) =>
    copyOf === null ? name : `${name} of ${copyOf}`,
  );

describe("the measuredTargets of an app", () => {
  test("are its own targets, and the A/A copy of the baseline", () => {
    expect(namesOf("bundle", "node")).toEqual(["cloudflare", "node", "mine", "node~copy of node"]);
    expect(namesOf("bundle", "mine").at(-1)).toBe("mine~copy of mine");
  });

  test("have the baseline on the platform of that name where no target is called so", () => {
    expect(namesOf("next", "node").at(-1)).toBe("next-node~copy of next-node");
  });

  test("keep their usual baseline where the name is that of another app's target", () => {
    expect(namesOf("bundle", "next-node").at(-1)).toBe("node~copy of node");
  });

  test("have the first as their baseline where neither is there", () => {
    expect(namesOf("other", "nothing").at(-1)).toBe("other-cloudflare~copy of other-cloudflare");
    expect(namesOf("absent", "node")).toEqual([]);
  });
});

test("run.json has the URL of a target that was given by one, and no address of a local one", () => {
  const [cloudflare, , mine] = measuredTargetsOf(targets, "bundle", "node").map(runTargetOf);
  expect(cloudflare).toMatchObject({
    name: "cloudflare",
    app: "bundle",
    platform: "cloudflare",
    place: "local",
    url: null,
    copyOf: null,
  });
  expect(mine).toMatchObject({ place: "url", url: "https://mine.example", platform: null });
});

test("the bundle's targets on this machine are named by their platforms", async () => {
  const own = (await listTargets()).filter(({ app }) => app.id === "bundle");
  expect(own.length).toBeGreaterThan(0);
  for (const { name, platform, deployable } of own) {
    expect(name).toBe(platform.id);
    expect(deployable).toContain(`apps/${platform.id}/`);
  }
});
