import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleRun, exampleSample } from "../test/example.ts";
import { publishedSchemas, schemaDirectory } from "./publish-schema.ts";
import { runSchema } from "./schema/run.ts";
import { sampleSchema } from "./schema/sample.ts";

test("a valid run and valid samples pass unchanged", () => {
  expect(runSchema.parse(exampleRun)).toEqual(exampleRun);
  for (let n = 0; n < 10; n++) expect(sampleSchema.parse(exampleSample(n))).toEqual(exampleSample(n));
});

/** Every object and array within a value, and itself. */
function parts(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(parts)] : [];
}

test("what was read cannot be changed, at any depth", () => {
  const read = [runSchema.parse(exampleRun), sampleSchema.parse(exampleSample(4))].flatMap(parts);
  expect(read.length).toBeGreaterThan(25);
  expect(read.filter((part) => !Object.isFrozen(part))).toEqual([]);
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

test.each(["javascript:alert(1)//", "http://a.example"])(
  "%s is no place to read a repository",
  (repository) => {
    const source = { commit: "0".repeat(40), changed: false, repository };
    expect(runSchema.safeParse({ ...exampleRun, source }).success).toBe(false);
  },
);

test.each(publishedSchemas())("docs/schema/$name is current", async ({ name, text }) => {
  const published = await readFile(join(schemaDirectory, name), "utf8");
  expect(published, "run: node packages/results/src/publish-schema.ts").toBe(text);
});
