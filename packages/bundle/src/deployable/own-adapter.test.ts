import type { OwnAppBuild } from "@evenbench/core";
import { expect, test } from "vitest";
import { type AdapterVersion, isInPeerRange, newestThatTakes } from "./own-adapter.ts";
import { buildByFramework, buildScripts, ownScripts } from "./own-build.ts";

const version = (name: string, range?: string): AdapterVersion =>
  range === undefined ? { version: name } : { version: name, peerDependencies: { next: range } };

const PUBLISHED = [
  version("1.9.0"),
  version("1.19.11", ">=15.5.18 <16 || >=16.2.6"),
  version("1.20.13", ">=15.5.28 <16 || >=16.4.1"),
  version("1.20.9", ">=15.5.27 <16 || >=16.3.8"),
  version("1.20.17", ">=15.5.29 <16 || >=16.4.5"),
  version("2.0.0-beta.1", ">=15"),
];

test("the version that Evenbench's own app has is taken where it fits", () => {
  expect(newestThatTakes(PUBLISHED, "next", "16.4.6", "1.20.13")?.version).toBe("1.20.13");
});

test("where that version does not fit, the latest that takes the framework's is, and no prerelease", () => {
  expect(newestThatTakes(PUBLISHED, "next", "16.4.0", "1.20.13")?.version).toBe("1.20.9");
  expect(newestThatTakes(PUBLISHED, "next", "16.2.11", "1.20.13")?.version).toBe("1.19.11");
});

test("no version is taken that does not say that it takes the framework's", () => {
  expect(newestThatTakes(PUBLISHED, "next", "15.1.0", "1.20.13")).toBeNull();
});

test.each([
  ["4.164.0", "^5.0.0", false],
  ["4.110.0", "catalog:", true],
  ["16.2.11", "workspace:*", true],
])("version %s is in the peer range %s: %s", (installed, range, isIn) => {
  expect(isInPeerRange(installed, range)).toBe(isIn);
});

test.each([
  ["payload build", { postbuild: "next-sitemap" }, ["build", "postbuild"]],
  ["next build", { postbuild: "wrangler deploy" }, ["build"]],
  ["astro build", { prebuild: "wrangler types" }, ["prebuild", "build"]],
  ["opennextjs-cloudflare build && next build", { prebuild: "node generate.mjs" }, []],
  ["turbo run build", {}, []],
])("of an app's scripts those are run that build it, and none of a platform: %s", (build, others, run) => {
  expect(ownScripts({ scripts: { build, ...others } })).toEqual(run);
  const all = buildScripts({ scripts: { build, ...others, postbuild: "vercel deploy --prebuilt" } });
  expect(all).not.toContain("postbuild");
});

test.each([
  ["npm run generate && npm run bundle", 1],
  ["node build.mjs", 2],
])("where the script %j fails, the app is built %i times", async (script, times) => {
  const ran: string[] = [];
  const run = (name: string) => {
    ran.push(name);
    return Promise.reject(new Error("it failed"));
  };
  const scripts = { build: script, generate: "node generate.mjs", bundle: "next build --webpack" };
  const build = { source: { packageJson: { scripts } }, folder: "/a", workspace: "/a", run, note: () => {} };
  const command = { command: "next build", package: "next", file: "bin.js" };
  await expect(buildByFramework(build as unknown as OwnAppBuild, command, {})).rejects.toThrow("it failed");
  expect(ran).toHaveLength(times);
});
