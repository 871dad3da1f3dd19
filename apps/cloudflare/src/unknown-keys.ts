import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveTool } from "@evenbench/host/tools";
import { Ajv, type ValidateFunction } from "ajv";

/**
 * Lists the keys, at all depths, that wrangler's schema does not have, such as "assets.run_worker_frist": it passes
 * over most.
 */
export function unknownKeys(configuration: object): readonly string[] {
  validate ??= compileSchema();
  validate(configuration);
  const errors = validate.errors ?? [];
  // Of a value that is of none of several kinds, keys of one kind are unknown in another. Wrangler refuses such a value.
  const ofNoKind = errors
    .filter(({ keyword }) => keyword === "anyOf")
    .map(({ instancePath }) => instancePath);
  const keys = errors.flatMap(({ keyword, instancePath, params }) =>
    keyword === "additionalProperties" && !ofNoKind.includes(instancePath)
      ? [`${instancePath}/${params.additionalProperty}`]
      : [],
  );
  return [...new Set(keys)].map((path) => path.slice(1).replaceAll("/", "."));
}

/** Checks a configuration by wrangler's schema, once it was needed. */
let validate: ValidateFunction | undefined;

function compileSchema(): ValidateFunction {
  const file = join(dirname(resolveTool("wrangler/package.json", import.meta.url)), "config-schema.json");
  // The schema has keywords of editors. It is compiled as it is.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  return ajv.compile(JSON.parse(readFileSync(file, "utf8")));
}
