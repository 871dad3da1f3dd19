// The real Vercel CLI, up to the call over the network: its API's address is a recorder on this machine,
// which answers what Vercel's API documents. What Vercel itself does with it is not shown here.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import { startRecorder, useDeployments } from "@evenbench/deploy/testing";
import { discoverApps } from "@evenbench/host";
import { expect, test, vi } from "vitest";
import { vercelApi } from "./test/api.ts";

const deployments = useDeployments("vercel", { VERCEL_TOKEN: "atokenofvercel" });
const { deploy } = deployments;

async function record(...api: Parameters<typeof vercelApi>) {
  const { answer, uploaded } = vercelApi(...api);
  const recorder = await startRecorder(answer);
  vi.stubEnv("EVENBENCH_VERCEL_API", recorder.url);
  return Object.assign(recorder, { uploaded });
}

const builtHere = (await discoverApps()).filter(({ deployable }) => deployable("vercel") !== null);
const appIds = builtHere.map(({ id }) => id);

test.each(appIds)(
  "%s: the CLI sends what the build made, byte for byte, closed and placed",
  async (appId) => {
    await using api = await record(new Set());
    const [deployed] = (await deploy(appId)) ?? [];
    const { token } = await deployments.read();
    expect(deployed).toMatchObject({
      state: "deployed",
      url: `https://${deployed?.name}-somebody.vercel.app`,
    });

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
    expect([target, project]).toEqual(["production", `prj_${deployed?.name}`]);
    expect(sent?.body.toString()).not.toContain(token);

    const { deployable } = await deployments.targetOf(appId);
    const shas = new Map<string, string>(
      files.map((one: { file: string; sha: string }) => [one.file, one.sha]),
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
      const settings = JSON.parse(api.uploaded.get(sha)?.toString() ?? "");
      const { environment } = JSON.parse(content.toString());
      expect(settings).toEqual({
        ...JSON.parse(content.toString()),
        environment: { ...environment, EVENBENCH_BUILD: deployed?.digest },
        regions: ["iad1"],
      });
      expect(settings.handler).toContain("evenbench-front.mjs");
    }
  },
);

test("a deployment that fails is told in the CLI's words and noted as begun; the next one converges", async () => {
  const projects = new Set<string>();
  await using _api = await record(projects, { left: 1 });
  await expect(deploy("bundle")).rejects.toThrow(
    /vercel deploy ended with exit code 1:[\s\S]*broken on purpose/,
  );
  expect((await deployments.read()).deployments.find(({ app }) => app === "bundle")).toMatchObject({
    state: "begun",
  });
  const [deployed] = (await deploy("bundle")) ?? [];
  expect((await deployments.read()).deployments.filter(({ app }) => app === "bundle")).toEqual([deployed]);
  expect([...projects]).toEqual(["evenbench"]);
});

test("destroy removes the projects that the file names, also those that are gone, and forgets them", async () => {
  const projects = new Set(["evenbench", "evenbench-next"]);
  await using _api = await record(projects);
  const gone = await deployments.destroy();
  expect(gone).toHaveLength(appIds.length);
  expect(projects.size).toBe(0);
  expect((await deployments.read()).deployments).toEqual([]);
});

test("without credentials, or for a region that Vercel has not, nothing is sent", async () => {
  await using api = await record(new Set());
  for (const region of ["mars-north-1", "constructor"])
    await expect(deploy("bundle", { region })).rejects.toThrow(`Vercel has no region ${region}`);
  vi.stubEnv("VERCEL_TOKEN", "");
  await expect(deploy("bundle")).rejects.toThrow(/set VERCEL_TOKEN \(make one at https:\/\/vercel\.com/);
  expect(api.requests).toEqual([]);
});
