import { createReadStream, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";
import { messageOf } from "@evenbench/core";
import { HostError } from "@evenbench/host";
import packageJson from "../package.json" with { type: "json" };
import { ASSETS_BINDING, ASSETS_MODULE, type Assets, assetsModule, type UploadedModule } from "./modules.ts";
import type { WranglerConfiguration } from "./wrangler.ts";

/** The runtime of Workers as it is installed here. */
export interface Workerd {
  /** Absolute path of the program. */
  readonly binary: string;
  /** The version of its package. */
  readonly version: string;
  /** V8's version; null where the program does not name it. */
  readonly v8: string | null;
}

let found: Promise<Workerd> | undefined;

/** Finds workerd, once for this process. @throws {HostError} where it does not run on this system. */
export function findWorkerd(): Promise<Workerd> {
  found ??= resolveWorkerd();
  return found;
}

async function resolveWorkerd(): Promise<Workerd> {
  let binary: string;
  try {
    binary = realpathSync(createRequire(import.meta.url)("workerd").default);
  } catch (error) {
    const why = messageOf(error).split("\n", 1)[0];
    throw new HostError(
      `workerd does not run on this system (${why}). Measure without the cloudflare target.`,
    );
  }
  return { binary, version: packageJson.dependencies.workerd, v8: await findV8Version(binary) };
}

/**
 * Finds V8's version, a string of the binary: four numbers between two zero bytes. workerd has no interface that names it.
 *
 * @returns null where there is none, or more than one.
 */
async function findV8Version(binary: string): Promise<string | null> {
  const versions = new Set<string>();
  let end = "";
  for await (const chunk of createReadStream(binary, { highWaterMark: 1 << 20, encoding: "latin1" })) {
    const text = end + chunk;
    for (const match of text.matchAll(/\0(\d{2}\.\d{1,2}\.\d{1,3}\.\d{1,3})(?=\0)/g)) {
      versions.add(match[1] ?? "");
    }
    end = text.slice(-20);
  }
  const [version] = versions;
  return version !== undefined && versions.size === 1 ? version : null;
}

/** Keys of wrangler.jsonc for bindings to services of the platform that are not in workerd itself. */
const NOT_LOCAL = [
  "ai",
  "analytics_engine_datasets",
  "browser",
  "d1_databases",
  "dispatch_namespaces",
  "durable_objects",
  "hyperdrive",
  "images",
  "kv_namespaces",
  "mtls_certificates",
  "pipelines",
  "queues",
  "r2_buckets",
  "secrets_store_secrets",
  "send_email",
  "vectorize",
  "version_metadata",
  "workflows",
];

/** The Worker that stands for the cache. It finds and keeps nothing, as on workers.dev: a cached page would not be measured. */
const EMPTY_CACHE = `export default {
  async fetch(request) {
    if (request.method === "GET") return new Response(null, { status: 504, headers: { "cf-cache-status": "MISS" } });
    await request.body?.pipeTo(new WritableStream());
    return new Response(null, { status: request.method === "PUT" ? 204 : 404 });
  },
};
`;

/** What workerd is to serve, and how. */
interface WorkerdSettings {
  readonly configuration: WranglerConfiguration;
  /** The modules of the Worker, the main one first. */
  readonly modules: readonly UploadedModule[];
  /** null: it has none. */
  readonly assets: Assets | null;
  /** The folder of the configuration, which paths in it begin at. */
  readonly directory: string;
  /** Host and port. */
  readonly address: string;
  readonly v8Flags: readonly string[];
  /** Names of variables that workerd finds in its own environment. */
  readonly fromEnvironment: readonly string[];
}

/** Writes workerd's configuration (workerd.capnp). @throws {HostError} where the Worker needs what the local host does not have. */
export function workerdConfiguration(settings: WorkerdSettings): string {
  const { configuration, v8Flags, address, assets, directory } = settings;
  refuseWhatIsNotLocal(configuration);
  const modules = settings.modules.map((module) => moduleText(module, directory));
  const main = settings.modules[0]?.name ?? "";
  if (assets !== null) {
    modules.unshift(`(name = ${quote(ASSETS_MODULE)}, esModule = ${quote(assetsModule(main, assets))})`);
  }
  const services = [
    '(name = "main", worker = .w)',
    // Cases talk to their services on this machine; the platform's default is the public network alone.
    '(name = "network", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))',
    '(name = "cache", worker = .cache)',
    ...(assets === null ? [] : [`(name = "assets", disk = (path = ${quote(assets.directory)}))`]),
  ];
  const { compatibility_date: date, compatibility_flags: flags = [] } = configuration;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ${quoteAll(v8Flags)},
  services = ${list(services)},
  sockets = [(name = "http", address = ${quote(address)}, http = (), service = "main")]
);
const w :Workerd.Worker = (
  modules = ${list(modules)},
  compatibilityDate = ${quote(date)},
  compatibilityFlags = ${quoteAll(flags)},
  globalOutbound = "network",
  cacheApiOutbound = "cache",
  bindings = ${list(bindings(settings))}
);
const cache :Workerd.Worker = (
  modules = [(name = "cache.mjs", esModule = ${quote(EMPTY_CACHE)})],
  compatibilityDate = ${quote(date)}
);
`;
}

function moduleText({ name, kind, file }: UploadedModule, directory: string): string {
  return `(name = ${quote(name)}, ${kind} = embed ${quote(slashed(relative(directory, file)))})`;
}

function bindings({ configuration, fromEnvironment, assets: found }: WorkerdSettings): string[] {
  const vars = Object.entries(configuration.vars ?? {}).filter(([name]) => !fromEnvironment.includes(name));
  const variables = vars.map(([name, value]) =>
    typeof value === "string"
      ? `(name = ${quote(name)}, text = ${quote(value)})`
      : `(name = ${quote(name)}, json = ${quote(JSON.stringify(value))})`,
  );
  const { assets, services = [], name } = configuration;
  const names = found === null ? [] : [ASSETS_BINDING, assets?.binding].flatMap((binding) => binding ?? []);
  const toAssets = names.map((binding) => `(name = ${quote(binding)}, service = "assets")`);
  const toItself = services.map(({ binding, service }) => {
    if (service !== name) {
      throw new HostError(
        `wrangler.jsonc binds "${binding}" to another Worker, "${service}", which the local host does not have. Remove the binding.`,
      );
    }
    return `(name = ${quote(binding)}, service = "main")`;
  });
  const hosts = fromEnvironment.map((name) => `(name = ${quote(name)}, fromEnvironment = ${quote(name)})`);
  return [...variables, ...hosts, ...toAssets, ...toItself];
}

function refuseWhatIsNotLocal(configuration: WranglerConfiguration): void {
  const keys = NOT_LOCAL.filter((key) => configuration[key] !== undefined);
  if (keys.length === 0) {
    return;
  }
  throw new HostError(
    `wrangler.jsonc asks for ${keys.join(", ")}, which the local host does not have. Remove it from the deployable.`,
  );
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "[]" : `[\n    ${items.join(",\n    ")}\n  ]`;
}

function quoteAll(texts: readonly string[]): string {
  return `[${texts.map(quote).join(", ")}]`;
}

/** Quotes a text for Cap'n Proto, which has C's escapes: those of JSON, but for \u, which becomes bytes of UTF-8. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/\\u[0-9a-f]{4}/g, (escaped) => {
    const bytes = Buffer.from(JSON.parse(`"${escaped}"`), "utf8");
    return [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
}
