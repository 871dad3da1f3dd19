// What counts of a configuration of wrangler: the keys that are read here, and those of the environment that is asked for.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type NotApplied, type OwnBuildCommand } from "@evenbench/core";
import { resolveTool } from "@evenbench/host/tools";
import { Ajv, type ValidateFunction } from "ajv";
import { bindingsOf, type LocalBindings } from "./own-bindings.ts";
import type { WranglerConfiguration } from "./wrangler.ts";

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

/** Variable that names the environment of a configuration, as for wrangler. */
export const ENVIRONMENT_VARIABLE = "CLOUDFLARE_ENV";

/** Files that the platform serves by itself, with wrangler's settings for them. */
export interface OwnAssets {
  readonly directory: string;
  readonly binding?: string;
  readonly [setting: string]: unknown;
}

/**
 * The part of wrangler's configuration that is used here by name. Its types lead to packages that are not installed.
 */
interface ReadConfiguration
  extends LocalBindings,
    Partial<
      Pick<
        WranglerConfiguration,
        "name" | "main" | "compatibility_date" | "compatibility_flags" | "vars" | "rules"
      >
    > {
  readonly pages_build_output_dir?: string;
  readonly no_bundle?: boolean;
  readonly minify?: boolean;
  readonly build?: Partial<OwnBuildCommand>;
  readonly assets?: Partial<OwnAssets>;
  readonly define?: Readonly<Record<string, string>>;
  readonly alias?: Readonly<Record<string, string>>;
  /** Environments that it has. */
  readonly definedEnvironments?: readonly string[];
}

/** A configuration as wrangler reads it, and as it is written. */
export interface ReadKeys {
  readonly content: ReadConfiguration;
  /** What is written at its top level. */
  readonly top: Readonly<Record<string, unknown>>;
  /** What is written of the environment that was asked for. */
  readonly ofEnvironment: Readonly<Record<string, unknown>>;
  /** The name of that; "" for none. */
  readonly environment: string;
}

/** Says which part of a configuration counts. */
export function appliedPart(read: ReadKeys): string {
  return hasEnvironment(read) ? `environment ${read.environment}` : "its top level";
}

function hasEnvironment({ content, top, environment }: ReadKeys): boolean {
  const { definedEnvironments = [] } = content;
  // A build writes the name of the environment for which it was made.
  return environment !== "" && [...definedEnvironments, top.targetEnvironment].includes(environment);
}

/** Keys of a configuration that are read here by name. Those of bindings count, too. */
const COUNTED: Readonly<Record<Exclude<keyof ReadConfiguration, BindingKey>, true>> = {
  name: true,
  main: true,
  compatibility_date: true,
  compatibility_flags: true,
  vars: true,
  rules: true,
  assets: true,
  define: true,
  alias: true,
  no_bundle: true,
  minify: true,
  build: true,
  pages_build_output_dir: true,
  migrations: true,
  definedEnvironments: true,
};

type BindingKey = Exclude<keyof LocalBindings, "migrations">;

/** Keys that matter where a Worker is deployed, and not where it is served here. */
const OF_DEPLOYMENTS: Readonly<Record<string, string>> = {
  routes: "no other address leads to it here",
  route: "no other address leads to it here",
  triggers: "nothing calls it at set times here",
  limits: "no limit is set here",
  placement: "there is one place here",
  observability: "nothing is sent here",
  tail_consumers: "nothing is sent here",
  site: "files of Workers Sites have no place here",
};

/**
 * Lists what of a configuration does not count.
 *
 * @param isUsers false where a build wrote it, with keys that are no user's.
 */
export function notAppliedOf(read: ReadKeys, isUsers: boolean): readonly NotApplied[] {
  const { content, top, ofEnvironment, environment } = read;
  const values = new Map<string, unknown>(Object.entries(content));
  const what = `environment ${environment}`;
  // Queues have consumers beside bindings, which are named by themselves.
  const counts = (key: string) =>
    ["$schema", "queues"].includes(key) ||
    key in COUNTED ||
    bindingsOf({ [key]: values.get(key) }).length > 0;
  const others = Object.keys({ ...top, ...ofEnvironment }).filter(
    (key) => !counts(key) && !isEmpty(values.get(key)),
  );
  const notRead = others.flatMap((what): NotApplied[] => {
    const why = OF_DEPLOYMENTS[what] ?? (isUsers ? "nothing here reads it" : undefined);
    return why === undefined ? [] : [{ what, why }];
  });
  const { consumers } = (values.get("queues") ?? {}) as { readonly consumers?: unknown };
  if (!isEmpty(consumers)) {
    notRead.push({ what: "queues.consumers", why: "no message is delivered here" });
  }
  const notAsked = (content.definedEnvironments ?? [])
    .filter((name) => name !== environment)
    .map((name) => ({
      what: `environment ${name}`,
      why: `${ENVIRONMENT_VARIABLE}=${name} in a file of variables names it`,
    }));
  const ofAsked = hasEnvironment(read)
    ? notHandedDown(top, values, what)
    : [{ what, why: "there is none of this name" }];
  return [...notRead, ...notAsked, ...(environment === "" ? [] : ofAsked)];
}

/** Lists what is written at the top level of a configuration, and an environment of it does not have. */
function notHandedDown(
  top: ReadKeys["top"],
  values: ReadonlyMap<string, unknown>,
  environment: string,
): readonly NotApplied[] {
  const lost = Object.entries(top).flatMap(([key, value]) => {
    const kept = values.get(key);
    if (isEmpty(value) || !values.has(key)) {
      return [];
    }
    if (isEmpty(kept)) {
      return [key];
    }
    const names =
      isObject(value) && isObject(kept) ? Object.keys(value).filter((name) => !(name in kept)) : [];
    return names.map((name) => `${key}.${name}`);
  });
  return lost.map((what) => ({ what, why: `wrangler does not hand it down to ${environment}` }));
}

/** Tells whether wrangler gives a key that a configuration does not have, or says nothing by. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) {
    return true;
  }
  return typeof value === "object" && Object.values(value).every(isEmpty);
}
