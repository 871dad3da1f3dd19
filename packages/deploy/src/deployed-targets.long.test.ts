// Deployments as a run meets them: real servers on this machine, closed as deployed ones are, at an address
// that was written down.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { formatPreflight, preflight } from "@evenbench/probe/preflight";
import { type LocalTarget, listTargets, preflightTargetOf } from "@evenbench/runner";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { serveDeployed } from "../test/index.ts";
import {
  type Deployment,
  deployedTargets,
  expectBuild,
  readDeployments,
  replaceNoted,
  tokenForUrl,
  writeDeployments,
} from "./index.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
const folder = testFolder();
const file = join(folder, "deployments.json");
const node = (await listTargets()).find(({ name }) => name === "node") as LocalTarget;
const cases = (await node.app.cases()).filter(({ id }) => ["empty", "payload"].includes(id));
let host: Host;
let deployment: Deployment;
beforeAll(async () => {
  ({ host, deployment } = await serveDeployed(node, folder, TOKEN));
});
afterAll(() => host.stop());
beforeEach(() => writeDeployments(file, { schemaVersion: 1, token: TOKEN, deployments: [deployment] }));

test("a deployed target is asked with the token in the file; without it, preflight says what to do", async () => {
  const [found] = await deployedTargets(file, [node]);
  expect(found?.target).toMatchObject({ name: "deployed-node", url: host.url, token: TOKEN });
  const target = preflightTargetOf(found?.target ?? node, undefined);
  expect((await preflight({ cases, targets: [target] })).problems).toEqual([]);
  const refused = await preflight({ cases, targets: [{ ...target, token: null }] });
  expect(refused.ok).toBe(false);
  expect(formatPreflight(refused)).toMatch(/answers HTTP 401.*set EVENBENCH_TOKEN/);
});

test("a deployment of another build than the one here is refused with the command that fixes it", async () => {
  const [found] = await deployedTargets(file, [node]);
  if (found === undefined) {
    throw new Error("Nothing is deployed.");
  }
  const target = preflightTargetOf(await expectBuild(found), undefined);
  const result = await preflight({ targets: [target], cases });
  expect(result.ok).toBe(false);
  expect(formatPreflight(result)).toMatch(
    /deployed-node does not run what is built here\. It was deployed at 2026-11-01.*\n[\s\S]*`npm run bench -- deploy node --app bundle --deployments \/.*deployments\.json`/,
  );
  const allowed = await preflight({ targets: [target], cases, allow: ["build"] });
  expect([allowed.ok, allowed.warnings.length]).toEqual([true, 1]);
});

test("EVENBENCH_TOKEN goes before the file; a token never leaves this machine unencrypted", async () => {
  const named = ["other.example"];
  expect(await tokenForUrl(file, host.url)).toBe(TOKEN);
  await expect(tokenForUrl(file, "https://other.example", named)).rejects.toThrow(/is not set/);
  vi.stubEnv("EVENBENCH_TOKEN", "a".repeat(40));
  expect((await deployedTargets(file, [node]))[0]?.target.token).toBe("a".repeat(40));
  // Neither deployed nor named for it, by its port too.
  for (const [url, hosts] of [
    ["https://other.example", []],
    ["https://other.example:8443", ["other.example"]],
    ["https://evil.example", ["other.example"]],
    ["http://127.0.0.1:1", []],
  ] as const) {
    expect(await tokenForUrl(file, url, hosts)).toBeNull();
  }
  expect(await tokenForUrl(file, host.url)).toBe("a".repeat(40));
  expect(await tokenForUrl(file, "https://other.example", named)).toBe("a".repeat(40));
  await expect(tokenForUrl(file, "http://other.example", named)).rejects.toThrow(/Use https:\/\//);
  vi.stubEnv("EVENBENCH_TOKEN", "short");
  await expect(tokenForUrl(file, "https://other.example", named)).rejects.toThrow(/32 to 512/);
});

test("a deployment at a plain http:// host gets no token, and an address that is none is a broken file", async () => {
  const at = (url: string) =>
    writeFile(
      file,
      JSON.stringify({ schemaVersion: 1, token: TOKEN, deployments: [{ ...deployment, url }] }),
    );
  await at("http://other.example");
  await expect(deployedTargets(file, [node])).rejects.toThrow(/Use https:\/\//);
  await at("javascript:alert(1)");
  await expect(deployedTargets(file, [node])).rejects.toThrow(/is not a list of deployments .*url/);
});

test("the file is its owner's alone, holds each deployment once, and a broken one is not overwritten", async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await replaceNoted(file, deployment, TOKEN, () => ({ ...deployment, region: "eu-central-1" }));
  const { deployments } = await readDeployments(file);
  expect(deployments.map(({ region }) => region)).toEqual(["eu-central-1"]);
  await expect(readDeployments("/dev/zero")).rejects.toThrow(/not a regular file/);
  await writeFile(file, '{"schemaVersion":1}');
  await expect(readDeployments(file)).rejects.toThrow(/is not a list of deployments .*deploy again/);
  expect(await readFile(file, "utf8")).toBe('{"schemaVersion":1}');
  await expect(deployedTargets(join(folder, "none.json"), [node])).rejects.toThrow(
    /npm run bench -- deploy all --deployments \/.*none\.json/,
  );
});
