// The real wrangler, up to the call over the network: its API's address is a recorder on this machine, which
// answers what Cloudflare's API documents. What Cloudflare itself does with it is not shown here.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { filesOf } from "@evenbench/bundle/deployable";
import {
  appsBuiltFor,
  type RecordedRequest,
  startRecorder,
  testRepetition,
  useDeployments,
} from "@evenbench/deploy/testing";
import { expect, test, vi } from "vitest";
import { deployment } from "./src/deploy.ts";
import { cloudflareApi } from "./test/api.ts";

const deployments = useDeployments("cloudflare", {
  CLOUDFLARE_API_TOKEN: "a-token-of-cloudflare",
  CLOUDFLARE_ACCOUNT_ID: "account",
});

async function record(...api: Parameters<typeof cloudflareApi>) {
  const recorder = await startRecorder(cloudflareApi(...api));
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", recorder.url);
  return recorder;
}

interface Metadata {
  readonly main_module: string;
  readonly bindings: readonly { readonly name: string; readonly type: string }[];
}

const isUpload = ({ method, path }: RecordedRequest) => method === "PUT" && /\/scripts\/[\w-]+\?/.test(path);

/** The modules and settings of an upload. */
async function uploadIn(requests: readonly RecordedRequest[]) {
  const upload = requests.findLast(isUpload);
  const form = await new Response(upload?.body ?? null, { headers: upload?.headers ?? {} }).formData();
  const metadata: Metadata = JSON.parse(String(form.get("metadata")));
  const modules = new Map<string, string>();
  for (const [name, part] of form) {
    if (part instanceof File && name !== "metadata") {
      modules.set(name, await part.text());
    }
  }
  return { metadata, modules };
}

test.each(await appsBuiltFor("cloudflare"))(
  "%s: wrangler uploads what the build made, byte for byte, closed and placed",
  async (appId) => {
    await using api = await record(new Set());
    const deployed = await deployments.deploy(appId);
    const { token, deployments: noted } = await deployments.read();
    const url = `https://${deployed.name}.somebody.workers.dev`;
    expect(deployed).toMatchObject({ state: "deployed", url });
    expect(noted).toContainEqual(deployed);

    const { metadata, modules } = await uploadIn(api.requests);
    const upload = join((await deployments.targetOf(appId)).deployable, "upload");
    expect([...modules.keys()].sort()).toEqual(await filesOf(upload));
    for (const [name, content] of modules) {
      expect(content, name).toBe(await readFile(join(upload, name), "utf8"));
    }
    expect(metadata).toMatchObject({
      main_module: "evenbench-front.mjs",
      placement: { mode: "targeted", region: "aws:us-east-1" },
      bindings: expect.arrayContaining([
        { name: "EVENBENCH_TOKEN", type: "secret_text", text: token },
        { name: "EVENBENCH_BUILD", type: "plain_text", text: deployed.digest },
      ]),
    });
    expect(metadata.bindings.map(({ name }) => name)).not.toContain("EVENBENCH_ACCESS");
    for (const { headers } of api.requests) {
      expect(headers.get("authorization")).toBe("Bearer a-token-of-cloudflare");
    }
    expect(deployments.confirmed.at(-1)).toContain(`a Worker "${deployed.name}"`);
  },
);

test("with accounting, a closed Tail Worker is uploaded first, and the Worker names it", async () => {
  await using api = await record(new Set());
  const deployed = await deployments.deploy("bundle", { accounting: true });
  expect(deployed.accountsUrl).toBe("https://evenbench-tail.somebody.workers.dev");
  const uploads = api.requests.filter(isUpload);
  const names = uploads.map(({ path }) => /scripts\/([\w-]+)/.exec(path)?.[1]);
  expect(names).toEqual(["evenbench-tail", "evenbench"]);
  const { metadata: tail } = await uploadIn(uploads.slice(0, 1));
  expect(tail.main_module).toBe("tail.mjs");
  expect(tail.bindings.map(({ name, type }) => `${name}: ${type}`).sort()).toEqual([
    "ACCOUNTS: durable_object_namespace",
    "EVENBENCH_TOKEN: secret_text",
  ]);
  const { metadata } = await uploadIn(uploads);
  expect(metadata).toMatchObject({ tail_consumers: [{ service: "evenbench-tail" }] });
  await expect(deployments.deploy("bundle", { region: "moon" })).rejects.toThrow(/no region of AWS/);
});

testRepetition(deployments, record, /wrangler deploy ended with exit code 1:[\s\S]*broken on purpose/);

test.each([
  ["CLOUDFLARE_ACCOUNT_ID", "", /set CLOUDFLARE_ACCOUNT_ID to .*dash\.cloudflare\.com/],
  ["CLOUDFLARE_API_BASE_URL", "http://127.0.0.1:1", /were not accepted\. [\s\S]*connectivity issue/],
])("what is wrong with the credentials is told: %s is %j", async (name, value, reason) => {
  vi.stubEnv(name, value);
  expect(await deployment.missingCredentials(deployments.run)).toEqual([expect.stringMatching(reason)]);
});
