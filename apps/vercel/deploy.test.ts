// The real Vercel CLI, up to the call over the network: its API's address is a recorder on this machine, which answers what
// Vercel's API documents. What Vercel itself does with it is not shown here.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namePlatform } from "@evenbench/core";
import {
  deploySubjects,
  deployTargets,
  destroyDeployments,
  readDeployments,
  runTool,
} from "@evenbench/deploy";
import { type Answer, type RecordedRequest, startRecorder } from "@evenbench/deploy/testing";
import { discoverApps } from "@evenbench/host";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import definition from "./platform.ts";

const platform = namePlatform("vercel", definition);
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-vercel-cli-"));
  file = join(folder, "deployments.json");
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_DATA_HOME", folder);
  vi.stubEnv("XDG_CONFIG_HOME", folder);
  vi.stubEnv("VERCEL_TOKEN", "atokenofvercel");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The API as far as the CLI asks it, over a team with these projects. */
function vercelApi(projects: Set<string>, failDeployments = { left: 0 }) {
  const uploaded = new Map<string, Buffer>();
  const answer = ({ method, path, headers, body }: RecordedRequest): Answer => {
    const { pathname } = new URL(path, "http://api");
    const team = { id: "team_1", slug: "somebody", name: "Somebody" };
    const notFound: Answer = [404, { error: { code: "not_found", message: "Project not found" } }];
    const project = (name: string) => ({ id: `prj_${name}`, name, accountId: "team_1" });
    if (pathname === "/v2/user")
      return [
        200,
        {
          user: {
            id: "u",
            username: "somebody",
            email: "s@example.com",
            version: "northstar",
            defaultTeamId: "team_1",
          },
        },
      ];
    if (/^\/(v\d\/)?teams$/.test(pathname))
      return [200, { teams: [team], pagination: { count: 1, next: null, prev: null } }];
    if (/^\/teams\/[\w-]+$/.test(pathname)) return [200, team];
    if (pathname.endsWith("/custom-environments")) return [200, { environments: [] }];
    if (pathname.endsWith("/env"))
      return method === "POST" ? [201, { created: {}, failed: [] }] : [200, { envs: [] }];
    if (method === "POST" && /\/projects$/.test(pathname)) {
      const { name } = JSON.parse(body.toString());
      projects.add(name);
      return [200, project(name)];
    }
    const asked = /\/projects\/(?:prj_)?([\w-]+)$/.exec(pathname)?.[1];
    if (asked !== undefined) {
      if (method === "DELETE") return projects.delete(asked) ? [204, {}] : notFound;
      return projects.has(asked) ? [200, project(asked)] : notFound;
    }
    if (method === "POST" && pathname === "/v2/files") {
      uploaded.set(headers.get("x-now-digest") ?? "", body);
      return [200, {}];
    }
    if (method === "POST" && pathname === "/v13/deployments") {
      if (failDeployments.left-- > 0)
        return [400, { error: { code: "bad_request", message: "broken on purpose" } }];
      const { files, name } = JSON.parse(body.toString()) as { files: { sha: string }[]; name: string };
      const missing = [...new Set(files.map(({ sha }) => sha))].filter((sha) => sha && !uploaded.has(sha));
      if (missing.length > 0)
        return [400, { error: { code: "missing_files", message: "Missing files", missing } }];
      return [200, deploymentOf(name)];
    }
    if (pathname.startsWith("/v13/deployments/")) {
      const name = /deployments\/(?:dpl_)?([\w-]+?)(?:-1)?$/.exec(pathname)?.[1] ?? "";
      return pathname.includes("dpl_") ? [200, deploymentOf(name)] : notFound;
    }
    return [200, {}];
  };
  return { answer, uploaded };
}

function deploymentOf(name: string) {
  return {
    id: `dpl_${name}`,
    name,
    url: `${name}-1-somebody.vercel.app`,
    alias: [`${name}-somebody.vercel.app`],
    aliasAssigned: true,
    readyState: "READY",
    target: "production",
    projectId: `prj_${name}`,
    ownerId: "team_1",
    createdAt: 1,
  };
}

async function targetOf(appId: string) {
  const app = (await discoverApps()).find(({ id }) => id === appId);
  if (app === undefined) throw new Error(`There is no app ${appId}.`);
  return {
    place: "local",
    name: `${appId}-vercel`,
    app,
    platform,
    deployable: app.deployable("vercel") ?? "",
  } as const;
}

async function deploy(appId: string, region = "us-east-1") {
  return deployTargets({
    subjects: deploySubjects([await targetOf(appId)]),
    region,
    accounting: true,
    file,
    environment: {},
    run: runTool,
    confirm: async () => true,
  });
}

test.each(["bundle", "next", "sveltekit"])(
  "%s: the CLI sends what the build made, byte for byte, closed and placed",
  async (appId) => {
    const { answer, uploaded } = vercelApi(new Set());
    await using api = await startRecorder(answer);
    vi.stubEnv("EVENBENCH_VERCEL_API", api.url);
    const [deployed] = (await deploy(appId)) ?? [];
    const { token } = await readDeployments(file);
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

    const { deployable } = await targetOf(appId);
    const shas = new Map<string, string>(
      files.map((one: { file: string; sha: string }) => [one.file, one.sha]),
    );
    const built = (await readdir(deployable, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(built.length).toBeGreaterThan(3);
    for (const entry of built) {
      const path = join(entry.parentPath, entry.name);
      const sha = shas.get(path.replace(deployable, ".vercel/output")) ?? "";
      const content = await readFile(path);
      if (entry.name !== ".vc-config.json") {
        expect(sha, path).toBe(createHash("sha1").update(content).digest("hex"));
        continue;
      }
      const settings = JSON.parse(uploaded.get(sha)?.toString() ?? "");
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
  const { answer } = vercelApi(projects, { left: 1 });
  await using api = await startRecorder(answer);
  vi.stubEnv("EVENBENCH_VERCEL_API", api.url);
  await expect(deploy("bundle")).rejects.toThrow(
    /vercel deploy ended with exit code 1:[\s\S]*broken on purpose/,
  );
  expect((await readDeployments(file)).deployments.find(({ app }) => app === "bundle")).toMatchObject({
    state: "begun",
  });
  const [deployed] = (await deploy("bundle")) ?? [];
  expect((await readDeployments(file)).deployments.filter(({ app }) => app === "bundle")).toEqual([deployed]);
  expect([...projects]).toEqual(["evenbench"]);
});

test("destroy removes the projects that the file names, also those that are gone, and forgets them", async () => {
  const projects = new Set(["evenbench", "evenbench-next"]);
  await using api = await startRecorder(vercelApi(projects).answer);
  vi.stubEnv("EVENBENCH_VERCEL_API", api.url);
  const gone = await destroyDeployments({
    file,
    platforms: [platform],
    run: runTool,
    confirm: async () => true,
  });
  expect(gone).toHaveLength(3);
  expect(projects.size).toBe(0);
  expect((await readDeployments(file)).deployments).toEqual([]);
});

test("without credentials, or for a region that Vercel has not, nothing is sent", async () => {
  await using api = await startRecorder(vercelApi(new Set()).answer);
  vi.stubEnv("EVENBENCH_VERCEL_API", api.url);
  await expect(deploy("bundle", "mars-north-1")).rejects.toThrow(/Vercel has no region mars-north-1/);
  vi.stubEnv("VERCEL_TOKEN", "");
  await expect(deploy("bundle")).rejects.toThrow(/set VERCEL_TOKEN \(make one at https:\/\/vercel\.com/);
  expect(api.requests).toEqual([]);
});
