import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type Build, keepSourceMaps } from "@evenbench/bundle/deployable";
import { messageOf, parseJson } from "@evenbench/core";
import { builtFile, HostError, repositoryRoot } from "@evenbench/host";
import { resolveTool } from "@evenbench/host/tools";
import type { AssetSettings } from "./asset-paths.ts";
import type { SimulatedBindings } from "./simulators.ts";

/** Gives the absolute path of wrangler's program. @throws {UserError} where it is not installed. */
export function wranglerProgram(): string {
  return join(dirname(resolveTool("wrangler/package.json", import.meta.url)), "bin/wrangler.js");
}

/** Name of the configuration that is written here. Tools look for this name first, in the folders above, too. */
export const CONFIGURATION_FILE = "wrangler.json";

/** A rule of wrangler.json: files that are modules of a type. */
export interface ModuleRule {
  /** The type, such as "ESModule". */
  readonly type: string;
  readonly globs: readonly string[];
}

/** A binding to Durable Objects. */
export interface DurableObjectBinding {
  /** The name in the Worker's code. */
  readonly name: string;
  readonly class_name: string;
  /** The Worker that has the class. Left out: this one. */
  readonly script_name?: string;
}

/** The keys of wrangler.json that are read here; others are kept. */
export interface WranglerConfiguration extends SimulatedBindings {
  readonly name?: string;
  readonly main: string;
  readonly base_dir?: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly rules?: readonly ModuleRule[];
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly assets?: AssetSettings;
  readonly services?: readonly { readonly binding: string; readonly service: string }[];
  readonly durable_objects?: { readonly bindings?: readonly DurableObjectBinding[] };
  readonly migrations?: readonly { readonly tag: string; readonly new_sqlite_classes?: readonly string[] }[];
  readonly [other: string]: unknown;
}

/**
 * Kinds of bindings, in words, by their key in the configuration. Entries' names are under "binding", or `nameKey`. A list
 * of another key, whose entries have "binding", is of a kind with the name of its key.
 */
export const BINDING_KINDS: Readonly<Record<string, { readonly kind: string; readonly nameKey?: string }>> = {
  kv_namespaces: { kind: "KV namespace" },
  r2_buckets: { kind: "R2 bucket" },
  d1_databases: { kind: "D1 database" },
  hyperdrive: { kind: "Hyperdrive" },
  vectorize: { kind: "Vectorize index" },
  services: { kind: "service binding" },
  analytics_engine_datasets: { kind: "Analytics Engine dataset" },
  dispatch_namespaces: { kind: "dispatch namespace" },
  mtls_certificates: { kind: "mTLS certificate" },
  pipelines: { kind: "pipeline" },
  secrets_store_secrets: { kind: "secret of the Secrets Store" },
  workflows: { kind: "Workflow" },
  send_email: { kind: "e-mail binding", nameKey: "name" },
  ratelimits: { kind: "rate limit", nameKey: "name" },
  ai: { kind: "Workers AI binding" },
  browser: { kind: "browser binding" },
  images: { kind: "Images binding" },
  media: { kind: "media binding" },
  stream: { kind: "Stream binding" },
  version_metadata: { kind: "version metadata" },
};

/** Lists the Durable Objects that a Worker itself has the classes of. */
export function ownDurableObjects({
  durable_objects: objects,
  name,
}: Pick<WranglerConfiguration, "durable_objects" | "name">): readonly DurableObjectBinding[] {
  const all = objects?.bindings ?? [];
  return all.filter(({ script_name: script }) => script === undefined || script === name);
}

/** Reads wrangler.json of a folder. @throws {HostError} where it cannot be read, or lacks a key. */
export async function readWranglerConfiguration(directory: string): Promise<WranglerConfiguration> {
  const file = builtFile(directory, CONFIGURATION_FILE);
  // A deployable's own is plain JSON; wrangler takes a second to load.
  const content = parseJson(await readFile(file, "utf8")) ?? (await readAsWritten(file));
  if (!isConfiguration(content)) {
    throw new HostError(`${file} must name "main" and "compatibility_date".`);
  }
  return content;
}

/** Reads the configuration of the repository's own Worker: apps without one get its recent date. */
export function usualConfiguration(): Promise<WranglerConfiguration> {
  return readWranglerConfiguration(join(repositoryRoot, "apps/cloudflare"));
}

/**
 * Reads a configuration without what wrangler adds, which an adapter would take for the user's wish.
 *
 * @throws {HostError} with wrangler's words where it cannot be read.
 */
export async function readAsWritten(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { experimental_readRawConfig: readRawConfiguration } = await import("wrangler");
  try {
    const { rawConfig } = readRawConfiguration({ config: file });
    return { ...rawConfig };
  } catch (error) {
    const { location } = error as { readonly location?: { readonly line: number } };
    const place = location === undefined ? "" : ` in line ${location.line}`;
    throw new HostError(
      `${file} cannot be read by wrangler: ${messageOf(error)}${place}. Correct it, and start again.`,
    );
  }
}

/** Tells whether a configuration has the keys that are always needed. */
function isConfiguration(content: unknown): content is WranglerConfiguration {
  const { main, compatibility_date: date } = (content ?? {}) as Record<string, unknown>;
  return typeof main === "string" && typeof date === "string";
}

/** Variables of wrangler by which a server of Node.js is bundled with the files that its packages have for Node.js. */
export const FOR_NODE_SERVERS: Readonly<Record<string, string>> = { WRANGLER_BUILD_PLATFORM: "node" };

/**
 * Makes the deployable of a Worker, as wrangler would upload it.
 *
 * @param directory has its wrangler.json.
 * @param variables of wrangler, beside those that keep it quiet.
 */
export async function packWorker(
  build: Build,
  directory: string,
  outDirectory: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const upload = join(outDirectory, "upload");
  // By name: wrangler would be led elsewhere by what a build has left in `.wrangler/deploy` here or above.
  const named = ["--config", join(directory, CONFIGURATION_FILE)];
  const program = [process.execPath, wranglerProgram()] as const;
  const command = [...program, "deploy", "--dry-run", ...named, "--outdir", upload] as const;
  const env = { WRANGLER_SEND_METRICS: "false", CI: "1", ...variables };
  await build("wrangler deploy --dry-run", command, { cwd: directory, env });
  await keepSourceMaps(outDirectory, [{ deployed: upload, maps: upload }]);
  // Without the time of the build and source maps equal input gives equal output.
  const extra = (await readdir(upload)).filter((name) => name === "README.md" || name.endsWith(".map"));
  await Promise.all(extra.map((name) => rm(join(upload, name))));
  const { minify: _, ...configuration } = await readWranglerConfiguration(directory);
  const { assets } = configuration;
  if (assets?.directory !== undefined) {
    await copyAssets(join(directory, assets.directory), join(outDirectory, "assets"));
  }
  // The dry run keeps the name of an unbundled main module, and writes a bundled `x.ts` as `x.js`.
  const main = basename(configuration.main);
  const uploaded = existsSync(join(upload, main)) ? main : `${basename(main, extname(main))}.js`;
  // Bundled and minified already: it is to be uploaded as it is.
  await writeWranglerConfiguration(outDirectory, {
    ...configuration,
    main: `upload/${uploaded}`,
    base_dir: "upload",
    no_bundle: true,
    ...(assets === undefined ? {} : { assets: { ...assets, directory: "assets" } }),
  });
}

/** The plugin's notes for itself, with paths of this machine, are left out. */
const UPLOADED = [
  "name",
  "main",
  "compatibility_date",
  "compatibility_flags",
  "no_bundle",
  "rules",
  "assets",
  "vars",
];

/**
 * Makes the deployable of a Worker that @cloudflare/vite-plugin built.
 *
 * @param directory the folder of the Worker, in which the plugin has left its configuration.
 */
export async function packBuiltWorker(build: Build, directory: string, outDirectory: string): Promise<void> {
  const file = join(directory, CONFIGURATION_FILE);
  const written = JSON.parse(await readFile(file, "utf8"));
  const uploaded = Object.fromEntries(UPLOADED.map((name) => [name, written[name]]));
  await writeFile(file, JSON.stringify(uploaded));
  await packWorker(build, directory, outDirectory);
}

/** Files that the platform reads, and that stay although `.assetsignore` names them. */
const PLATFORM_FILES = ["_headers", "_redirects"];

/** Copies assets without what `.assetsignore` names: adapters put the Worker itself among the assets. */
async function copyAssets(from: string, to: string): Promise<void> {
  const list = join(from, ".assetsignore");
  const lines = existsSync(list) ? (await readFile(list, "utf8")).split(/\r?\n/) : [];
  const ignored = new Set([
    ...lines.filter((line) => line !== "" && !PLATFORM_FILES.includes(line)),
    ".assetsignore",
  ]);
  await cp(from, to, { recursive: true, filter: (file) => !ignored.has(basename(file)) });
}

/** Writes wrangler.json into a folder. */
export async function writeWranglerConfiguration(
  directory: string,
  configuration: WranglerConfiguration,
): Promise<void> {
  const { $schema: _, ...content } = configuration;
  await writeFile(join(directory, CONFIGURATION_FILE), `${JSON.stringify(content, null, 2)}\n`);
}
