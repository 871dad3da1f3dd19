import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run, Sample } from "@evenbench/core";
import { expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { exampleRun, exampleSample } from "../test/example.ts";
import { publishedSchemas, schemaDirectory } from "./publish-schema.ts";
import { runSchema, sampleSchema } from "./schema.ts";

test("a valid run and valid samples pass unchanged", () => {
  expect(runSchema.parse(exampleRun)).toEqual(exampleRun);
  for (let n = 0; n < 10; n++) expect(sampleSchema.parse(exampleSample(n))).toEqual(exampleSample(n));
});

test("the schemas describe exactly the core types", () => {
  expectTypeOf<z.infer<typeof sampleSchema>>().toEqualTypeOf<Sample>();
  expectTypeOf<z.infer<typeof runSchema>>().toEqualTypeOf<Run>();
});

test.each(Object.keys(exampleSample(0)))("a sample without %s is refused", (name) => {
  const sample: Record<string, unknown> = { ...exampleSample(0) };
  delete sample[name];
  expect(sampleSchema.safeParse(sample).success).toBe(false);
});

test("fields that the schema does not know are refused", () => {
  expect(sampleSchema.safeParse({ ...exampleSample(0), extra: 1 }).success).toBe(false);
  expect(runSchema.safeParse({ ...exampleRun, extra: 1 }).success).toBe(false);
});

test.each(publishedSchemas())("docs/schema/$name is current", async ({ name, text }) => {
  const published = await readFile(join(schemaDirectory, name), "utf8");
  expect(published, "run: node packages/results/src/publish-schema.ts").toBe(text);
});
