import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { artifactDirectory, digestOfDirectory, readManifest } from "@evenbench/bundle";
import type { Identity } from "@evenbench/core";
import { endParentOf, stillRunning } from "@evenbench/host/testing";
import { underTest } from "@evenbench/host/testing/platform";
import { expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";
import { checkFunctionSizes } from "./src/deployable.ts";

const {
  folder,
  deployable: bundle,
  serve,
} = underTest(platform, (outDirectory) => buildDeployable({ artifactDirectory, outDirectory }));

test("the function holds the artifact byte for byte, and is what vercel build makes but for the pinned NODE_ENV", async () => {
  const place = join(bundle, "functions/api/index.func");
  expect(await digestOfDirectory(join(place, "api/_artifact"))).toBe((await readManifest()).digest);
  const configuration = JSON.parse(readFileSync(join(place, ".vc-config.json"), "utf8"));
  expect(configuration).toMatchObject({
    handler: "api/index.mjs",
    runtime: "nodejs24.x",
    launcherType: "Nodejs",
    environment: { NODE_ENV: "production" },
  });
});

test("it serves the artifact in production mode and says how", async () => {
  const host = await serve({ v8Flags: ["--max-semi-space-size=16"] });
  const identity = (await (await fetch(`${host.url}/identity`)).json()) as Identity;
  const empty = await fetch(`${host.url}/empty`);
  const robots = await (await fetch(`${host.url}/robots.txt`)).text();
  await host.stop();
  expect(identity).toMatchObject({ app: "bundle", platform: "vercel" });
  expect(identity.pins).toMatchObject({
    "nodeEnv.artifact": "production",
    "nodeEnv.runtime": "production",
    artifact: (await readManifest()).digest,
  });
  expect(identity.facts).toMatchObject({ v8Flags: "--max-semi-space-size=16", region: "iad1" });
  expect(identity.facts.adapter).toMatch(/^@vercel\/node \d/);
  expect(empty.status).toBe(204);
  expect(robots).toContain("Disallow");
});

test("no process is left when the one that started the host is killed", async () => {
  const platformFile = fileURLToPath(new URL("platform.ts", import.meta.url));
  const { below } = await endParentOf(platformFile, bundle, join(folder, "orphan.log"), "SIGKILL");
  expect(below).not.toEqual([]);
  expect(await stillRunning(below)).toEqual([]);
});

test("a function over the size limit is refused with its name and size", async () => {
  await expect(checkFunctionSizes(bundle, 1000)).rejects.toThrow(
    /functions\/api\/index\.func has \d+ bytes, more than the 1000/,
  );
});

test("a folder that is no build output is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/There is no config\.json.*npm run build/);
});
