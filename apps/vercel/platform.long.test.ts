import { readFileSync } from "node:fs";
import { join } from "node:path";
import { artifactDirectory } from "@evenbench/bundle";
import { testProduction } from "@evenbench/bundle/deployable/testing/server";
import { underTest } from "@evenbench/host/testing/platform";
import { expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";

const {
  folder,
  deployable: bundle,
  serve,
} = underTest(platform, async (outDirectory) => {
  await buildDeployable({ artifactDirectory, outDirectory });
  await platform.close(outDirectory);
});

test("the function is what vercel build makes, with NODE_ENV pinned, behind the guard", () => {
  const place = join(bundle, "functions/api/index.func");
  const configuration = JSON.parse(readFileSync(join(place, ".vc-config.json"), "utf8"));
  expect(configuration).toMatchObject({
    handler: "api/evenbench-front.mjs",
    runtime: "nodejs26.x",
    launcherType: "Nodejs",
    environment: { NODE_ENV: "production" },
  });
  expect(readFileSync(join(bundle, "static/robots.txt"), "utf8")).toContain("Disallow");
});

testProduction(serve, "vercel", {
  v8Flags: "--max-semi-space-size=16",
  region: "iad1",
  adapter: expect.stringMatching(/^@vercel\/node \d/),
});

test("a folder that is no build output is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/There is no config\.json.*npm run build/);
});
