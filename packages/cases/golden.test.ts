import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { type CaseDefinition, maskBody } from "@evenbench/core";
import { describe, expect, test } from "vitest";

const folders = readdirSync(new URL(".", import.meta.url), { withFileTypes: true });
const ids = folders
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map((entry) => entry.name);

async function load(id: string): Promise<CaseDefinition> {
  const module: { default: CaseDefinition } = await import(`./${id}/case.ts`);
  return module.default;
}

async function respond(
  definition: CaseDefinition,
  overrides: Record<string, number | string> = {},
): Promise<Response> {
  const defaults = Object.entries(definition.parameters).map(([name, parameter]) => [
    name,
    parameter.default,
  ]);
  const values = { ...Object.fromEntries(defaults), ...overrides };
  return definition.handle(new Request("http://localhost/"), values, { platform: "node" });
}

const digest = (body: Uint8Array | string): string => createHash("sha256").update(body).digest("hex");

describe.each(ids)("%s", (id) => {
  test("answers its default parameters with the golden body", async () => {
    const definition = await load(id);
    const response = await respond(definition);
    const body = await response.bytes();
    const type = response.headers.get("content-type")?.split(";")[0] ?? null;
    const text = type !== null && /text|json/.test(type);
    expect({
      status: response.status,
      contentType: type,
      bytes: body.byteLength,
      sha256: digest(text ? maskBody(Buffer.from(body).toString(), definition.masks) : body),
    }).toEqual(definition.golden);
  });
});

test("the results of math are those of the catalogue", async () => {
  const result = await (await respond(await load("math"))).json();
  expect(result).toEqual({ integers: 1246025984, sorts: 100, stringHash: -974820160, primes: 9592 });
});

test("every way of stream-copies sends the same body", async () => {
  const definition = await load("stream-copies");
  for (const how of ["concat", "from", "values", "bytes", "pipe"]) {
    expect(digest(await (await respond(definition, { how })).bytes()), how).toBe(definition.golden?.sha256);
  }
});

test("length-by-copy finds the same length both ways", async () => {
  const definition = await load("length-by-copy");
  for (const how of ["concat", "sum"]) {
    expect(await (await respond(definition, { how })).json()).toEqual({
      chunks: 2000,
      how,
      length: 2_048_000,
    });
  }
});

test("the reviver of json-reviver sees well over 100,000 keys and elements, and changes nothing", async () => {
  const definition = await load("json-reviver");
  const [without, withReviver] = await Promise.all(
    [0, 1].map(async (reviver) => (await respond(definition, { reviver })).json()),
  );
  expect(without.seen).toBe(0);
  expect(withReviver.seen).toBeGreaterThan(120_000);
  expect(withReviver).toEqual({ ...without, seen: withReviver.seen });
});

test("the sum of trig depends on the range of its argument", async () => {
  const definition = await load("trig");
  const sums = await Promise.all(
    ["published", "small"].map(async (range) => (await respond(definition, { range, n: 1000 })).json()),
  );
  expect(sums[0].sum).toBe("0.0000");
  expect(Number(sums[1].sum)).toBeGreaterThan(0);
});

test("the three React cases send one and the same body", async () => {
  const goldens = await Promise.all(
    ["react-ssr", "react-ssr-stream", "react-ssr-native"].map(async (id) => (await load(id)).golden),
  );
  expect(new Set(goldens.map((golden) => golden?.sha256)).size).toBe(1);
});
