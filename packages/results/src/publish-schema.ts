import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { providerAccountSchema } from "./accounts.ts";
import { experimentsSchema } from "./schema/experiment.ts";
import { loadRunSchema, loadSampleSchema } from "./schema/load.ts";
import { profileSchema } from "./schema/profile.ts";
import { runSchema } from "./schema/run.ts";
import { sampleSchema } from "./schema/sample.ts";
import { summarySchema } from "./schema/summary.ts";

export const schemaDirectory = join(import.meta.dirname, "../../../docs/schema");

export function publishedSchemas(): readonly { readonly name: string; readonly text: string }[] {
  return [
    { name: "run.schema.json", schema: runSchema },
    { name: "sample.schema.json", schema: sampleSchema },
    { name: "summary.schema.json", schema: summarySchema },
    { name: "provider-cpu.schema.json", schema: providerAccountSchema },
    { name: "load.schema.json", schema: loadRunSchema },
    { name: "load-sample.schema.json", schema: loadSampleSchema },
    { name: "profile.schema.json", schema: profileSchema },
    { name: "experiments.schema.json", schema: experimentsSchema },
  ].map(({ name, schema }) => ({ name, text: `${JSON.stringify(jsonSchema(schema), null, 2)}\n` }));
}

/** That our code does not change what it reads is no property of the files. */
function jsonSchema(schema: z.ZodType) {
  return z.toJSONSchema(schema, { override: ({ jsonSchema }) => delete jsonSchema.readOnly });
}

if (import.meta.main) {
  await mkdir(schemaDirectory, { recursive: true });
  for (const { name, text } of publishedSchemas()) await writeFile(join(schemaDirectory, name), text);
}
