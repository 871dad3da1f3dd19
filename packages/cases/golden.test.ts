import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CaseDefinition, caseManifest, maskBody } from "@evenbench/core";
import { howToInstall, missingServices, type RunningServices, startServices } from "@evenbench/services";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folders = readdirSync(new URL(".", import.meta.url), { withFileTypes: true });
const ids = folders
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map((entry) => entry.name);

const definitions = new Map(await Promise.all(ids.map(async (id) => [id, await load(id)] as const)));
const services = (id: string) => definitions.get(id)?.services ?? [];
const missing = await missingServices(ids.flatMap(services));
for (const service of missing) console.warn(`Skipped cases with ${service.id}: ${howToInstall(service)}`);
const withoutService = ids.filter((id) =>
  services(id).some((one) => missing.some((lost) => lost.id === one)),
);
const testable = ids.filter((id) => !withoutService.includes(id));

let logFolder: string;
let running: RunningServices;
beforeAll(async () => {
  logFolder = await mkdtemp(join(tmpdir(), "evenbench-cases-"));
  running = await startServices(testable.flatMap(services), { logFolder, cores: null });
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await rm(logFolder, { recursive: true });
});

async function load(id: string): Promise<CaseDefinition> {
  const module: { default: CaseDefinition } = await import(`./${id}/case.ts`);
  return module.default;
}

async function respond(definition: CaseDefinition): Promise<Response> {
  const defaults = Object.entries(definition.parameters).map(([name, parameter]) => [
    name,
    parameter.default,
  ]);
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

describe.each(testable)("%s", (id) => {
  test("answers its default parameters with the golden body, or with the same one twice until it has one", async () => {
    const definition = await load(id);
    const again = definition.golden ?? (await goldenOf(id, definition));
    expect(await goldenOf(id, definition)).toEqual(again);
  });
});

test("the three React cases send one and the same body", async () => {
  const goldens = await Promise.all(
    ["react-ssr", "react-ssr-stream", "react-ssr-native"].map(async (id) => (await load(id)).golden),
  );
  expect(new Set(goldens.map((golden) => golden?.sha256)).size).toBe(1);
});
