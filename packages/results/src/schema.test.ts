import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { exampleLoadSample, exampleRun, exampleSample } from "../test/example.ts";
import { joinAccounts, providerAccountSchema, requestId } from "./accounts.ts";
import { experimentsSchema } from "./schema/experiment.ts";
import { isUsualLoadSample, loadRunSchema, loadSampleSchema } from "./schema/load.ts";
import { profileSchema } from "./schema/profile.ts";
import { runSchema } from "./schema/run.ts";
import { isUsualSample, type SampleKey, sampleSchema } from "./schema/sample.ts";
import { settingsFileSchema } from "./schema/settings-file.ts";

/** Every object and array within a value, and itself. */
function parts(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(parts)] : [];
}

test("what was read cannot be changed, at any depth", () => {
  const read = [runSchema.parse(exampleRun), sampleSchema.parse(exampleSample(4))].flatMap(parts);
  expect(read.length).toBeGreaterThan(25);
  expect(read.filter((part) => !Object.isFrozen(part))).toEqual([]);
});

test("a sample without one of its fields is refused, and fields that the schema does not know are", () => {
  for (const name of Object.keys(exampleSample(0))) {
    const { [name]: _, ...sample }: Record<string, unknown> = { ...exampleSample(0) };
    expect(sampleSchema.safeParse(sample).success, name).toBe(false);
  }
  expect(sampleSchema.safeParse({ ...exampleSample(0), extra: 1 }).success).toBe(false);
  expect(runSchema.safeParse({ ...exampleRun, extra: 1 }).success).toBe(false);
});

test.each([
  ["hardly any time", { lastByteMs: 5e-324 }],
  ["a time beyond all", { lastByteMs: 1.7e308 }],
  ["a start beyond all", { startedAtMs: 1.7e308 }],
])("a sample of %s is refused", (_, changes) => {
  expect(sampleSchema.safeParse({ ...exampleSample(0), ...changes }).success).toBe(false);
});

const usual = exampleSample(1);
const full = { ...usual, resent: true, cacheSaid: "stale", cpuMs: 1.5, minorFaults: 3, connectMs: 0.5 };
const loaded = exampleLoadSample(0);

describe("without the schema's being asked", () => {
  test.each([
    ["a sample", usual, isUsualSample, sampleSchema],
    ["a sample with all that it can have", full, isUsualSample, sampleSchema],
    ["a load's sample", loaded, isUsualLoadSample, loadSampleSchema],
    ["a load's sample that was sent twice", { ...loaded, resent: true }, isUsualLoadSample, loadSampleSchema],
  ])("%s is one only where it is one by the schema, whatever a field holds", (_, sample, isUsual, schema) => {
    expect(isUsual(sample)).toBe(true);
    const texts = ["", "x", "x".repeat(200_000), "transfer", "miss"];
    const small = [0, -0, -1, 1, 0.5, 1e-3, 1e-7, 1e-300, Number.NaN];
    const large = [
      999,
      1000,
      60_000,
      60_001,
      1e9,
      1e10,
      1e13,
      2 ** 53 - 1,
      2 ** 53,
      Number.POSITIVE_INFINITY,
    ];
    const others = [null, undefined, true, false, [], {}, { kind: "status", detail: "500" }];
    const wrong: string[] = [];
    let accepted = 0;
    for (const field of [...Object.keys(sample), "extra", "__proto__"]) {
      const { [field]: _, ...without }: Record<string, unknown> = { ...sample };
      const values = [...texts, ...small, ...large, ...others].map((value) => ({
        ...sample,
        [field]: value,
      }));
      for (const changed of [without, ...values]) {
        const isAccepted = isUsual(changed);
        accepted += Number(isAccepted);
        if (isAccepted && !schema.safeParse(changed).success) {
          wrong.push(`${field}: ${JSON.stringify(changed)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(50);
  });

  test.each([isUsualSample, isUsualLoadSample])("no other value is one: %o", (isUsual) => {
    expect([null, undefined, 1, "text", [], {}].map(isUsual)).toEqual(Array(6).fill(false));
  });
});

test.each(["javascript:alert(1)//", "http://a.example"])(
  "%s is no place to read a repository",
  (repository) => {
    const source = { commit: "0".repeat(40), changed: false, repository };
    expect(runSchema.safeParse({ ...exampleRun, source }).success).toBe(false);
  },
);

const SCHEMAS = join(import.meta.dirname, "../../../docs/schema");
/** The formats of our schemas that JSON Schema knows (2020-12, section 7.3 of its validation). */
const FORMATS = ["date", "date-time", "uri"];

test.each([
  ["run", runSchema],
  ["sample", sampleSchema],
  ["provider-cpu", providerAccountSchema],
  ["load", loadRunSchema],
  ["load-sample", loadSampleSchema],
  ["profile", profileSchema],
  ["experiments", experimentsSchema],
  ["evenbench", settingsFileSchema],
])("docs/schema/%s.schema.json is current (-u writes it)", async (name, schema) => {
  const json = z.toJSONSchema(schema, {
    override({ jsonSchema }) {
      // That our code does not change what it reads is no property of the files.
      delete jsonSchema.readOnly;
      // The pattern beside it says the same.
      if (jsonSchema.format !== undefined && !FORMATS.includes(jsonSchema.format)) {
        delete jsonSchema.format;
      }
    },
  });
  const file = join(SCHEMAS, `${name}.schema.json`);
  await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(file);
});

test("a strict validator compiles every schema, and settings have a description at each key", async () => {
  const formats = Object.fromEntries(FORMATS.map((name) => [name, true as const]));
  const files = (await readdir(SCHEMAS)).filter((file) => file.endsWith(".schema.json"));
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const schema = JSON.parse(await readFile(join(SCHEMAS, file), "utf8"));
    expect(
      () => new Ajv2020({ strict: true, allowUnionTypes: true, formats }).compile(schema),
      file,
    ).not.toThrow();
  }
  const { properties } = z.toJSONSchema(settingsFileSchema);
  const silent = propertiesOf({ properties }).filter(([, property]) => property.description === undefined);
  expect(silent.map(([name]) => name)).toEqual([]);
});

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Lists all properties of a schema, at any depth. */
function propertiesOf(schema: unknown): readonly (readonly [name: string, JsonSchema])[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema as JsonSchema;
  const below = [...Object.values(properties), items, ...anyOf, additionalProperties];
  const parts = below.filter((part) => typeof part === "object");
  return [...Object.entries(properties), ...parts.flatMap(propertiesOf)];
}

const key: SampleKey = {
  caseId: "math",
  target: "deployed-vercel~copy",
  trial: 2,
  phase: "measure",
  roundIndex: 7,
};

test("a request's name is a header's value and tells all samples apart", () => {
  expect(requestId("2026-11-21", key)).toBe("2026-11-21/math/deployed-vercel~copy/2/measure/7");
  const others = [{ roundIndex: 8 }, { phase: "warmup" as const }, { target: "ü=" }];
  const names = [{}, ...others].map((other) => requestId("run", { ...key, ...other }));
  expect(new Set(names).size).toBe(4);
  for (const name of names) {
    expect(name).toMatch(/^[!-<>-~]+$/);
  }
});

test("accounts find their samples; strays and doubles are left out", () => {
  const samples = [0, 1, 2].map((roundIndex) => ({ ...key, roundIndex }));
  const pairs = [[0, 1] as const, [0, 9] as const, [2, 3] as const, [7, 4] as const];
  const accounts = pairs.map(([roundIndex, cpuMs]) => {
    return { requestId: requestId("run", { ...key, roundIndex }), cpuMs, wallMs: null };
  });
  const joined = joinAccounts("run", samples, accounts);
  expect(joined.map(({ roundIndex, cpuMs }) => [roundIndex, cpuMs])).toEqual([
    [0, 1],
    [2, 3],
  ]);
});
