// The real wrangler, up to the call over the network: its API's address is a recorder on this machine, which
// answers what Cloudflare's API documents. What Cloudflare itself does with it is not shown here.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import { type RecordedRequest, startRecorder, useDeployments } from "@evenbench/deploy/testing";
import { discoverApps } from "@evenbench/host";
import { expect, test, vi } from "vitest";
import { cloudflareApi } from "./test/api.ts";

const deployments = useDeployments("cloudflare", {
  CLOUDFLARE_API_TOKEN: "a-token-of-cloudflare",
  CLOUDFLARE_ACCOUNT_ID: "account",
});
const { deploy } = deployments;

async function record(...api: Parameters<typeof cloudflareApi>) {
  const recorder = await startRecorder(cloudflareApi(...api));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", recorder.url);
  return recorder;
}

interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly text?: string }[];
  readonly placement?: unknown;
  readonly tail_consumers?: unknown;
}

const isUpload = ({ method, path }: RecordedRequest) => method === "PUT" && /\/scripts\/[\w-]+\?/.test(path);

/** The modules and settings of an upload. */
async function uploadIn(requests: readonly RecordedRequest[]) {
  const put = requests.findLast(isUpload);
  const form = await new Response(put?.body ?? null, { headers: put?.headers ?? {} }).formData();
  const metadata: Metadata = JSON.parse(String(form.get("metadata")));
  const modules = new Map<string, string>();
  for (const [name, part] of form)
    if (part instanceof File && name !== "metadata") modules.set(name, await part.text());
  return { metadata, modules };
}

/** Deploys an app, and expects wrangler to upload what the build made, byte for byte, closed and placed. */
async function expectUpload(appId: string): Promise<void> {
  await using api = await record(new Set());
  const [deployed] = (await deploy(appId)) ?? [];
  const { token, deployments: noted } = await deployments.read();
  expect(deployed).toMatchObject({
    state: "deployed",
    url: `https://${deployed?.name}.somebody.workers.dev`,
  });
  expect(noted).toContainEqual(deployed);

  const { metadata, modules } = await uploadIn(api.requests);
  const upload = join((await deployments.targetOf(appId)).deployable, "upload");
  expect([...modules.keys()].sort()).toEqual(await filesOf(upload));
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
  expect(deployments.confirmed.at(-1)).toContain(`a Worker "${deployed?.name}"`);
}

test("an upload that fails is told in wrangler's words and noted as begun; the next one uploads what the build made", async () => {
  await using _api = await record(new Set(), { left: 1 });
  await expect(deploy("bundle")).rejects.toThrow(
    /wrangler deploy ended with exit code 1:[\s\S]*broken on purpose/,
  );
  const begun = await deployments.read();
  expect(begun.deployments).toMatchObject([{ app: "bundle", state: "begun" }]);
  await expectUpload("bundle");
  const after = await deployments.read();
  expect(after.deployments).toMatchObject([{ app: "bundle", state: "deployed" }]);
  expect(after.token).toBe(begun.token);
});

test("with accounting, a closed Tail Worker is uploaded first, and the Worker names it", async () => {
  await using api = await record(new Set());
  const [deployed] = (await deploy("bundle", { accounting: true })) ?? [];
  expect(deployed?.accountsUrl).toBe("https://evenbench-tail.somebody.workers.dev");
  const uploads = api.requests.filter(isUpload);
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

test("destroy removes what the file names, also what is gone already, and forgets it", async () => {
  // Its Tail Worker is gone.
  const workers = new Set(["evenbench"]);
  await using _api = await record(workers);
  expect(await deployments.destroy()).toMatchObject([{ app: "bundle" }]);
  expect(workers.size).toBe(0);
  expect((await deployments.read()).deployments).toEqual([]);
});

const builtHere = (await discoverApps()).filter(({ deployable }) => deployable("cloudflare") !== null);
const frameworks = builtHere.map(({ id }) => id).filter((id) => id !== "bundle");

test.each(frameworks)("%s: wrangler uploads what the build made", expectUpload);

test("without credentials nothing is sent, and what is missing is named with the place to make it", async () => {
  await using api = await record(new Set());
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
  await expect(deploy("bundle")).rejects.toThrow(/set CLOUDFLARE_ACCOUNT_ID to .*dash\.cloudflare\.com/);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  await expect(deploy("bundle")).rejects.toThrow(
    /set CLOUDFLARE_API_TOKEN \(make one at https:\/\/dash\.cloudflare\.com/,
  );
  expect(api.requests).toEqual([]);
});
