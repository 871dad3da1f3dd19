// The real wrangler, up to the call over the network: its API's address is a recorder on this machine, which answers what
// Cloudflare's API documents. What Cloudflare itself does with it is not shown here.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineApp, namePlatform } from "@evenbench/core";
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

const platform = namePlatform("cloudflare", definition);
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-wrangler-"));
  file = join(folder, "deployments.json");
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_CONFIG_HOME", folder);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "a-token-of-cloudflare");
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "account");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The API as far as wrangler asks it, over an account with these Workers. */
function cloudflareApi(workers: Set<string>, failUploads = { left: 0 }) {
  return ({ method, path }: RecordedRequest): Answer => {
    const result = (value: unknown): Answer => [
      200,
      { success: true, errors: [], messages: [], result: value },
    ];
    const notThere: Answer = [
      404,
      {
        success: false,
        errors: [{ code: 10090, message: "This Worker does not exist" }],
        messages: [],
        result: null,
      },
    ];
    const { pathname } = new URL(path, "http://api");
    const name = /\/workers\/(?:services|scripts|workers)\/([\w-]+)/.exec(pathname)?.[1] ?? "";
    if (method === "DELETE") return workers.delete(name) ? result(null) : notThere;
    if (/\/scripts\/[\w-]+$/.test(pathname) && method === "PUT") {
      if (failUploads.left-- > 0)
        return [
          400,
          {
            success: false,
            errors: [{ code: 10013, message: "broken on purpose" }],
            messages: [],
            result: null,
          },
        ];
      workers.add(name);
      return result({
        id: name,
        etag: "etag",
        deployment_id: "deployment",
        startup_time_ms: 7,
        entry_point: "x",
      });
    }
    if (/\/services\/[\w-]+$/.test(pathname)) {
      if (!workers.has(name)) return notThere;
      return result({
        id: name,
        default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } },
      });
    }
    if (pathname.endsWith("/assets-upload-session")) return result({ jwt: "assets", buckets: [] });
    if (pathname.includes("/workers/workers/"))
      return result({ id: name, name, subdomain: { enabled: true, previews_enabled: false }, tags: [] });
    if (pathname.endsWith("/deployments")) return result({ deployments: [] });
    if (pathname.endsWith("/secrets") && !workers.has(name)) return notThere;
    if (pathname.endsWith("/workers/subdomain")) return result({ subdomain: "somebody" });
    if (pathname.endsWith("/subdomain")) return result({ enabled: true, previews_enabled: false });
    return result([]);
  };
}

async function targetOf(appId: string) {
  const app =
    (await discoverApps()).find(({ id }) => id === appId) ??
    defineApp({ id: appId, title: "", cases: async () => [], deployable: () => null });
  return {
    place: "local",
    name: appId,
    app,
    platform,
    deployable: app.deployable("cloudflare") ?? "",
  } as const;
}

const confirmed: string[][] = [];
async function deploy(appId: string, accounting = false) {
  return deployTargets({
    subjects: deploySubjects([await targetOf(appId)]),
    region: "us-east-1",
    accounting,
    file,
    environment: {},
    run: runTool,
    confirm: async (lines) => {
      confirmed.push([...lines]);
      return true;
    },
  });
}

interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly text?: string }[];
  readonly placement?: unknown;
  readonly tail_consumers?: unknown;
}

/** The modules and settings of an upload. */
async function uploadIn(requests: readonly RecordedRequest[]) {
  const put = requests.findLast(({ method, path }) => method === "PUT" && /\/scripts\/[\w-]+\?/.test(path));
  const form = await new Response(put?.body ?? null, { headers: put?.headers ?? {} }).formData();
  const metadata: Metadata = JSON.parse(String(form.get("metadata")));
  const modules = new Map<string, string>();
  for (const [name, part] of form)
    if (part instanceof File && name !== "metadata") modules.set(name, await part.text());
  return { metadata, modules };
}

test.each(["bundle", "next", "sveltekit"])(
  "%s: wrangler uploads what the build made, byte for byte, closed and placed",
  async (appId) => {
    await using api = await startRecorder(cloudflareApi(new Set()));
    vi.stubEnv("CLOUDFLARE_API_BASE_URL", api.url);
    const [deployed] = (await deploy(appId)) ?? [];
    const { token, deployments } = await readDeployments(file);
    expect(deployed).toMatchObject({
      state: "deployed",
      url: `https://${deployed?.name}.somebody.workers.dev`,
    });
    expect(deployments).toContainEqual(deployed);

    const { metadata, modules } = await uploadIn(api.requests);
    const upload = join((await targetOf(appId)).deployable, "upload");
    const files = (await readdir(upload, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(modules.size).toBe(files.length);
    for (const [name, content] of modules)
      expect(content, name).toBe(await readFile(join(upload, name), "utf8"));
    expect(metadata.main_module).toBe("evenbench-front.mjs");
    expect(metadata.placement).toEqual({ mode: "targeted", region: "aws:us-east-1" });
    expect(metadata.bindings).toContainEqual({ name: "EVENBENCH_TOKEN", type: "secret_text", text: token });
    expect(metadata.bindings).toContainEqual({
      name: "EVENBENCH_BUILD",
      type: "plain_text",
      text: deployed?.digest,
    });
    expect(metadata.bindings.map(({ name }) => name)).not.toContain("EVENBENCH_ACCESS");
    for (const { headers } of api.requests)
      expect(headers.get("authorization")).toBe("Bearer a-token-of-cloudflare");
    expect(confirmed.at(-1)?.join("\n")).toContain(`a Worker "${deployed?.name}"`);
  },
);

test("with accounting, a closed Tail Worker is uploaded first, and the Worker names it", async () => {
  await using api = await startRecorder(cloudflareApi(new Set()));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", api.url);
  const [deployed] = (await deploy("bundle", true)) ?? [];
  expect(deployed?.accountsUrl).toBe("https://evenbench-tail.somebody.workers.dev");
  const uploads = api.requests.filter(
    ({ method, path }) => method === "PUT" && /\/scripts\/[\w-]+\?/.test(path),
  );
  expect(uploads.map(({ path }) => /scripts\/([\w-]+)/.exec(path)?.[1])).toEqual([
    "evenbench-tail",
    "evenbench",
  ]);
  const tail = await uploadIn(uploads.slice(0, 1));
  expect(tail.metadata.main_module).toBe("tail.mjs");
  expect(tail.metadata.bindings.map(({ name, type }) => `${name}: ${type}`).sort()).toEqual([
    "ACCOUNTS: durable_object_namespace",
    "EVENBENCH_TOKEN: secret_text",
  ]);
  const { metadata } = await uploadIn(uploads);
  expect(metadata.tail_consumers).toEqual([{ service: "evenbench-tail" }]);
});

test("an upload that fails is told in wrangler's words and noted as begun; the next one converges", async () => {
  const failures = { left: 1 };
  await using api = await startRecorder(cloudflareApi(new Set(), failures));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", api.url);
  const before = await readDeployments(file);
  await expect(deploy("bundle")).rejects.toThrow(
    /wrangler deploy ended with exit code 1:[\s\S]*broken on purpose/,
  );
  const begun = await readDeployments(file);
  expect(begun.deployments.find(({ app }) => app === "bundle")).toMatchObject({ state: "begun" });
  const [deployed] = (await deploy("bundle")) ?? [];
  const after = await readDeployments(file);
  expect(after.deployments.filter(({ app }) => app === "bundle")).toEqual([deployed]);
  expect(after.token).toBe(before.token);
});

test("destroy removes what the file names, also what is gone already, and forgets it", async () => {
  const workers = new Set(["evenbench"]);
  await using api = await startRecorder(cloudflareApi(workers));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", api.url);
  expect((await readDeployments(file)).deployments.length).toBe(3);
  const gone = await destroyDeployments({
    file,
    platforms: [platform],
    run: runTool,
    confirm: async () => true,
  });
  expect(gone).toHaveLength(3);
  expect(workers.size).toBe(0);
  expect((await readDeployments(file)).deployments).toEqual([]);
});

test("without credentials nothing is sent, and what is missing is named with the place to make it", async () => {
  await using api = await startRecorder(cloudflareApi(new Set()));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", api.url);
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
  await expect(deploy("bundle")).rejects.toThrow(/set CLOUDFLARE_ACCOUNT_ID to .*dash\.cloudflare\.com/);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  await expect(deploy("bundle")).rejects.toThrow(
    /set CLOUDFLARE_API_TOKEN \(make one at https:\/\/dash\.cloudflare\.com/,
  );
  expect(api.requests).toEqual([]);
});
