// Schemas of the files of a finished output, as far as they are used here: Build Output API v3. Keys that are not named may be anything.
import { readJsonAs } from "@evenbench/core/user-file";
import * as z from "zod";

const texts = z.record(z.string(), z.string());

const conditions = z.array(
  z.looseObject({
    type: z.string(),
    key: z.string().optional(),
    value: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  }),
);

const phase = z.looseObject({ handle: z.string() });

const route = z.looseObject({
  src: z.string(),
  dest: z.string().optional(),
  headers: texts.optional(),
  status: z.number().optional(),
  has: conditions.optional(),
  missing: conditions.optional(),
  transforms: z.array(z.looseObject({ type: z.string(), op: z.string() })).optional(),
});

/** Schema of config.json. */
export const outputConfiguration = z.looseObject({
  version: z.literal(3),
  routes: z.array(z.union([phase, route])).optional(),
  overrides: z
    .record(z.string(), z.looseObject({ path: z.string().optional(), contentType: z.string().optional() }))
    .optional(),
});

/** Schema of a function's .vc-config.json. */
export const functionConfiguration = z.looseObject({
  runtime: z.string().optional(),
  handler: z.string().optional(),
  entrypoint: z.string().optional(),
  assets: z.array(z.looseObject({})).optional(),
  launcherType: z.string().optional(),
  /** Paths from the project's folder on, by their path in the function. */
  filePathMap: texts.optional(),
});

/** Schema of a function's .prerender-config.json. */
export const prerenderConfiguration = z.looseObject({
  expiration: z.union([z.number(), z.literal(false)]).optional(),
  fallback: z
    .union([z.string(), z.looseObject({ fsPath: z.string().optional(), contentType: z.string().optional() })])
    .nullish(),
  initialHeaders: z.record(z.string(), z.unknown()).optional(),
  allowQuery: z.array(z.string()).optional(),
  allowHeader: z.array(z.string()).optional(),
  experimentalBypassFor: conditions.optional(),
});

/** Reads a file of an output; null where nothing is. @throws {UserError} in one line, where it has another form. */
export function readOutputFile<T>(file: string, schema: z.ZodType<T>): T | null {
  return readJsonAs(file, schema, "of the Build Output API, version 3");
}
