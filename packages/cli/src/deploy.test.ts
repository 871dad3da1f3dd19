// The real command with the real tools; the platforms' APIs are recorders on this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRecorder } from "@evenbench/deploy/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../evenbench.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-deploy-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function evenbench(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, PATH: process.env.PATH ?? "" };
  const child = spawn(process.execPath, [CLI, ...args, "--deployments", join(folder, "deployments.json")], {
    env: { ...own, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  const [code] = await once(child, "close");
  return { code, ...said };
}

test("without any credentials, deploy names every variable and where to make it, and writes nothing", async () => {
  const { code, stderr } = await evenbench(["deploy", "all", "--app", "bundle", "--no-build", "--yes"]);
  expect(stderr).toMatch(/CLOUDFLARE_API_TOKEN \(make one at https:\/\/dash\.cloudflare\.com/);
  expect(stderr).toMatch(/VERCEL_TOKEN \(make one at https:\/\/vercel\.com/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
  await expect(readFile(join(folder, "deployments.json"))).rejects.toThrow("ENOENT");
});

test("without a terminal, deploy lists what it would create, and asks for --yes", async () => {
  await using api = await startRecorder(() => [200, { success: true, errors: [], messages: [], result: [] }]);
  const { code, stdout, stderr } = await evenbench(
    ["deploy", "cloudflare", "--app", "bundle", "--no-build"],
    {
      CLOUDFLARE_API_BASE_URL: api.url,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
    },
  );
  expect(stdout).toContain('cloudflare: a Worker "evenbench"');
  expect(stderr).toContain("Say --yes");
  expect(code).toBe(2);
  expect(api.requests).toEqual([]);
});

test.each([
  [["deploy", "cloudflair"], /no platform "cloudflair"\. Did you mean "cloudflare"\?/],
  [["deploy", "all", "--app", "nuxt"], /no app "nuxt"\. Did you mean "next"\?/],
  [["destroy", "verce"], /no platform "verce"\. Did you mean "vercel"\?/],
])("%j is refused with exit code 2 and a clear line", async (args, message) => {
  const { code, stderr } = await evenbench(args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test("deploying to a platform without a place of its own says how it is run instead", async () => {
  const { code, stderr } = await evenbench(["deploy", "node", "--no-build"]);
  expect(stderr).toMatch(/server\.mjs with EVENBENCH_TOKEN/);
  expect(code).toBe(1);
});

test("runs of what is deployed need a deployment, and destroy of nothing is no error", async () => {
  const run = await evenbench(["run", "--where", "deployed", "--case", "empty"]);
  expect(run.stderr).toMatch(/Nothing is deployed according to .*evenbench deploy all/);
  expect(run.code).toBe(1);
  const { code, stdout } = await evenbench(["destroy", "--yes"]);
  expect([code, stdout]).toEqual([0, "Nothing was removed.\n"]);
});
