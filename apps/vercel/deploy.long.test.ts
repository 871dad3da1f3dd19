// The real Vercel CLI, up to the call over the network: its API's address is a recorder on this machine,
// which answers what Vercel's API documents. What Vercel itself does with it is not shown here.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import { appsBuiltFor, startRecorder, testRepetition, useDeployments } from "@evenbench/deploy/testing";
import { expect, test, vi } from "vitest";
import { vercelApi } from "./test/api.ts";

const deployments = useDeployments("vercel", { VERCEL_TOKEN: "atokenofvercel" });

async function record(...api: Parameters<typeof vercelApi>) {
  const { answer, uploaded } = vercelApi(...api);
  const recorder = await startRecorder(answer);
  vi.stubEnv("EVENBENCH_VERCEL_API", recorder.url);
  return Object.assign(recorder, { uploaded });
}

test.each(await appsBuiltFor("vercel"))(
  "%s: the CLI sends what the build made, byte for byte, closed and placed",
  async (appId) => {
    await using api = await record(new Set());
    const { name, state, url, digest } = await deployments.deploy(appId);
    const { token } = await deployments.read();
    expect([state, url]).toEqual(["deployed", `https://${name}-somebody.vercel.app`]);

    const variable = api.requests.find(({ method, path }) => method === "POST" && /\/env\?/.test(path));
    expect(JSON.parse(variable?.body.toString() ?? "")).toMatchObject({
      key: "EVENBENCH_TOKEN",
      value: token,
      type: "sensitive",
      target: ["production"],
    });
    const sent = api.requests.findLast(
      ({ method, path }) => method === "POST" && path.startsWith("/v13/deployments"),
    );
    expect(sent?.path).toContain("prebuilt=1");
    const { files, target, project } = JSON.parse(sent?.body.toString() ?? "");
    expect([target, project]).toEqual(["production", `prj_${name}`]);
    expect(sent?.body.toString()).not.toContain(token);

    const { deployable } = await deployments.targetOf(appId);
    const shas = new Map<string, string>(
      files.map(({ file, sha }: { file: string; sha: string }) => [file, sha]),
    );
    const built = await filesOf(deployable);
    expect(built.length).toBeGreaterThan(3);
    for (const path of built) {
      const sha = shas.get(`.vercel/output/${path}`) ?? "";
      const content = await readFile(join(deployable, path));
      if (!path.endsWith("/.vc-config.json")) {
        expect(sha, path).toBe(createHash("sha1").update(content).digest("hex"));
        continue;
      }
      const { environment, ...settings } = JSON.parse(content.toString());
      expect(JSON.parse(api.uploaded.get(sha)?.toString() ?? "")).toEqual({
        ...settings,
        environment: { ...environment, EVENBENCH_BUILD: digest },
        regions: ["iad1"],
      });
      expect(settings.handler).toContain("evenbench-front.mjs");
    }
  },
);

testRepetition(deployments, record, /vercel deploy ended with exit code 1:[\s\S]*broken on purpose/);

test.each(["mars-north-1", "constructor"])(
  "for the region %s, which Vercel has not, nothing is sent",
  async (region) => {
    await using api = await record(new Set());
    await expect(deployments.deploy("bundle", { region })).rejects.toThrow(`Vercel has no region ${region}`);
    expect(api.requests).toEqual([]);
  },
);
