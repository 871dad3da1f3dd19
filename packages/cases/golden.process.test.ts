import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { type CaseDefinition, caseManifest, maskBody } from "@evenbench/core";
import { howToInstall, missingServices, type RunningServices, startServices } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { testFolder } from "@evenbench/host/testing/folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folders = readdirSync(new URL(".", import.meta.url), { withFileTypes: true });
const ids = folders
  .map((entry) => entry.name)
  .filter((name) => existsSync(new URL(`${name}/case.ts`, import.meta.url)));

const definitions = new Map(await Promise.all(ids.map(async (id) => [id, await load(id)] as const)));
const services = (id: string) => definitions.get(id)?.services ?? [];
const missing = await missingServices(ids.flatMap(services));
const lacking = (id: string) => missing.find((one) => services(id).includes(one.id));

const logFolder = testFolder();
let running: RunningServices;
beforeAll(async () => {
  const testable = ids.filter((id) => lacking(id) === undefined);
  running = await startServices(testable.flatMap(services), { logFolder, cores: null });
});
afterAll(() => running[Symbol.asyncDispose]());

async function load(id: string): Promise<CaseDefinition> {
  const module: { default: CaseDefinition } = await import(`./${id}/case.ts`);
  return module.default;
}

async function respond(definition: CaseDefinition): Promise<Response> {
  const { parameters } = definition;
  const defaults = Object.entries(parameters).map(([name, { default: value }]) => [name, value]);
  return definition.handle(new Request("http://localhost/"), Object.fromEntries(defaults), {
    platform: "node",
    services: running.addresses,
  });
}

/** What golden values are made of; see the type `Golden`. */
async function goldenOf(id: string, definition: CaseDefinition) {
  const response = await respond(definition);
  const body = await response.bytes();
  const type = response.headers.get("content-type")?.split(";")[0] ?? null;
  const text = type !== null && /text|json/.test(type);
  return {
    status: response.status,
    contentType: type,
    bytes: body.byteLength,
    sha256: digest(text ? maskBody(Buffer.from(body).toString(), caseManifest(id, definition)) : body),
  };
}

const digest = (body: Uint8Array | string): string => createHash("sha256").update(body).digest("hex");

/** Cases whose services are not installed here are skipped. */
const installed = (id: string) => {
  const service = lacking(id);
  return needs(service === undefined ? null : howToInstall(service));
};

for (const id of ids)
  describe(id, installed(id), () => {
    test("answers its default parameters with the golden body, or with the same one twice until it has one", async () => {
      const definition = await load(id);
      const again = definition.golden ?? (await goldenOf(id, definition));
      expect(await goldenOf(id, definition)).toEqual(again);
    });
  });

const respondTo = async (id: string) => respond(await load(id));

test("the three React cases send one and the same body", async () => {
  const ids = ["react-ssr", "react-ssr-stream", "react-ssr-native"];
  const goldens = await Promise.all(ids.map(async (id) => (await load(id)).golden?.sha256));
  expect(new Set(goldens).size).toBe(1);
});

test.each(["react-ssr-stream", "react-ssr-native"])(
  "%s streams in many parts, of unknown length, and can be left after the first",
  async (id) => {
    const response = await respondTo(id);
    expect(response.headers.get("content-length")).toBeNull();
    let parts = 0;
    for await (const part of response.body ?? []) if (part.byteLength > 0) parts += 1;
    expect(parts).toBeGreaterThan(100);
    const reader = (await respondTo(id)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await expect(reader?.cancel("the client left")).resolves.toBeUndefined();
  },
);
