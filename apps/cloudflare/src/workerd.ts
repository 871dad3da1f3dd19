import { createReadStream, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";
import { messageOf, type ServeOptions } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { HostError } from "@evenbench/host";
import { requireTool, resolveTool } from "@evenbench/host/tools";
import { type AssetSettings, assetRules } from "./asset-paths.ts";
import { capnpText, EmbeddedFile } from "./capnp.ts";
import {
  ASSETS_BINDING,
  ASSETS_MODULE,
  type Assets,
  assetsModule,
  routedAssetsModule,
  type UploadedModule,
  WORKER_EXPORT,
} from "./modules.ts";
import {
  type AssetServices,
  assetServices,
  type CapnpStruct,
  type Simulators,
  sharedModules,
  simulateBindings,
} from "./simulators.ts";
import { START_MODULE, startModule } from "./start-up.ts";
import {
  BINDING_KINDS,
  type DurableObjectBinding,
  ownDurableObjects,
  type WranglerConfiguration,
} from "./wrangler.ts";

/** The runtime of Workers as it is installed here. */
export interface Workerd {
  /** Absolute path of the program. */
  readonly binary: string;
  readonly version: string;
  /** V8's version; null where the program does not name it. */
  readonly v8: string | null;
}

/** The result of `findWorkerd`, once it was asked. */
let found: Promise<Workerd> | undefined;

/** Finds workerd, once for this process. @throws {HostError} where it does not run on this system. */
export function findWorkerd(): Promise<Workerd> {
  found ??= resolveWorkerd();
  return found;
}

async function resolveWorkerd(): Promise<Workerd> {
  let binary: string;
  let version: string;
  try {
    const program = requireTool("workerd", import.meta.url) as { readonly default: string };
    binary = realpathSync(program.default);
    const manifest = readFileSync(resolveTool("workerd/package.json", import.meta.url), "utf8");
    version = JSON.parse(manifest).version;
  } catch (error) {
    const why = messageOf(error).split("\n", 1)[0];
    throw new HostError(
      `workerd does not run on this system (${why}). Measure without the cloudflare target.`,
    );
  }
  return { binary, version, v8: await findV8Version(binary) };
}

/**
 * Finds V8's version, a string between two zero bytes of the binary: workerd has no interface that names it; null where
 * there is none, or more than one.
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

/** Keys of wrangler.json for bindings that the local host has. */
const LOCAL = ["kv_namespaces", "r2_buckets", "d1_databases", "services"];
/** Keys of wrangler.json for bindings to services of the platform that are not in workerd itself. */
const NOT_LOCAL = Object.keys(BINDING_KINDS).filter((key) => !LOCAL.includes(key));

/**
 * Source text of the Worker that stands for the cache. It keeps nothing, as on workers.dev: a cached page would not be
 * measured.
 */
const EMPTY_CACHE = `export default {
  async fetch(request) {
    if (request.method === "GET") return new Response(null, { status: 504, headers: { "cf-cache-status": "MISS" } });
    await request.body?.pipeTo(new WritableStream());
    return new Response(null, { status: request.method === "PUT" ? 204 : 404 });
  },
};
`;

/** The Worker that workerd is to serve, and its settings. */
interface WorkerdSettings {
  readonly configuration: WranglerConfiguration;
  /** The modules of the Worker, the main one first. */
  readonly modules: readonly UploadedModule[];
  /** Static files; null: it has none. */
  readonly assets: Assets | null;
  /** The folder of the configuration, which paths in it begin at. */
  readonly directory: string;
  /** The address that it listens on: host and port. */
  readonly address: string;
  readonly v8Flags: readonly string[];
  /** Absolute path of the folder that simulated storage lies in. */
  readonly storage: string;
  /** Which start is measured; undefined: none, it serves. */
  readonly startUp?: ServeOptions["startUp"];
  /** Names of variables that workerd finds in its own environment. */
  readonly fromEnvironment: readonly string[];
}

/** Tells whether a configuration is served with simulators, which need workerd's flag --experimental. */
export function isSimulated(configuration: WranglerConfiguration): boolean {
  const { kv_namespaces: kv = [], r2_buckets: r2 = [], d1_databases: d1 = [], queues = {} } = configuration;
  return kv.length + r2.length + d1.length + (queues.producers?.length ?? 0) > 0;
}

/** Tells whether a Worker of this configuration stores anything where it is served. */
export function storesAnything(configuration: WranglerConfiguration): boolean {
  return isSimulated(configuration) || ownDurableObjects(configuration).length > 0;
}

/**
 * Writes workerd's configuration (workerd.capnp).
 *
 * @throws {HostError} where the Worker needs a service that the local host does not have.
 */
export async function workerdConfiguration(settings: WorkerdSettings): Promise<string> {
  const { configuration, v8Flags, address, assets, storage } = settings;
  refuseWhatIsNotLocal(configuration);
  const { compatibility_date: date, compatibility_flags: flags = [] } = configuration;
  const simulators = await simulateBindings(configuration, storage);
  const served = assets?.needService === true ? await servedAssets(assets, configuration) : null;
  const objects = ownDurableObjects(configuration);
  const worker = {
    ...codeFields(settings),
    compatibilityDate: date,
    compatibilityFlags: flags,
    globalOutbound: "network",
    cacheApiOutbound: "cache",
    ...objectFields(objects, configuration),
    bindings: bindings(settings, simulators, served),
  };
  const cache = { modules: [{ name: "cache.mjs", esModule: EMPTY_CACHE }], compatibilityDate: date };
  // Cases talk to their services on this machine; the platform's default is the public network alone.
  const network = { allow: ["public", "private"], tlsOptions: { trustBrowserCas: true } };
  const files =
    assets === null || served !== null ? [] : [{ name: "assets", disk: { path: assets.directory } }];
  const disks = objects.length === 0 ? [] : [{ name: "objects", disk: { path: storage, writable: true } }];
  const needShared = simulators.services.length > 0 || served !== null;
  const config = {
    v8Flags,
    services: [
      { name: "main", worker },
      { name: "network", network },
      { name: "cache", worker: cache },
      ...files,
      ...disks,
      ...simulators.services,
      ...(served?.services ?? []),
    ],
    extensions: needShared ? [await sharedModules()] : undefined,
    sockets: [{ name: "http", address, http: {}, service: "main" }],
  };
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = ${capnpText(config)};
`;
}

/** Gives the fields of a Worker's code: its modules, behind the one in front; or its script, where it has no modules. */
function codeFields(settings: WorkerdSettings): CapnpStruct {
  const { modules, directory, startUp } = settings;
  const embedded = modules.map(({ name, kind, file }) => {
    return { name, kind, content: new EmbeddedFile(slashed(relative(directory, file))) };
  });
  const [main] = embedded;
  if (main?.kind === "serviceWorkerScript" && startUp === undefined) {
    return { serviceWorkerScript: main.content };
  }
  const front = frontModule(settings);
  return {
    modules: [
      ...(front === null ? [] : [{ name: front.name, esModule: front.source }]),
      // Where a start is measured, a script is a module that the one in front imports.
      ...embedded.map(({ name, kind, content }) => ({
        name,
        [kind === "serviceWorkerScript" ? "esModule" : kind]: content,
      })),
    ],
  };
}

/** Makes the platform's services for a Worker's files. */
function servedAssets(
  { directory }: Assets,
  { assets = {}, compatibility_date: date, compatibility_flags: flags = [] }: WranglerConfiguration,
): Promise<AssetServices> {
  const isFirst = assets.run_worker_first === true;
  const worker = isFirst ? null : { service: "main", entrypoint: WORKER_EXPORT };
  return assetServices(directory, assets, { date, flags }, worker);
}

/** A module that is asked before the Worker's own. */
interface FrontModule {
  readonly name: string;
  readonly source: string;
}

/** Writes the module in front of the main one; null where the Worker is asked first, and where there are no files. */
function frontModule(settingsOfWorker: WorkerdSettings): FrontModule | null {
  const { configuration, assets, modules, startUp } = settingsOfWorker;
  const main = modules[0]?.name ?? "";
  if (startUp !== undefined) {
    return { name: START_MODULE, source: startModule(main, startUp) };
  }
  const settings = configuration.assets ?? {};
  if (assets === null || settings.run_worker_first === true) {
    return null;
  }
  if (!assets.needService) {
    return { name: ASSETS_MODULE, source: assetsModule(main, assets) };
  }
  const redirects = readIfThere(join(assets.directory, "_redirects")) ?? "";
  const rules = assetRules(Object.keys(assets.types), settings, redirects);
  return { name: ASSETS_MODULE, source: routedAssetsModule(main, rules) };
}

/** Gives the fields of a Worker's Durable Objects; none where it has none. */
function objectFields(
  objects: readonly DurableObjectBinding[],
  { migrations = [] }: WranglerConfiguration,
): CapnpStruct {
  if (objects.length === 0) {
    return {};
  }
  const withSql = new Set(migrations.flatMap(({ new_sqlite_classes: classes = [] }) => classes));
  const classes = [...new Set(objects.map(({ class_name: className }) => className))];
  return {
    durableObjectNamespaces: classes.map((className) => ({
      className,
      uniqueKey: `evenbench-${className}`,
      enableSql: withSql.has(className),
    })),
    durableObjectStorage: { localDisk: "objects" },
  };
}

/** Lists all bindings of the Worker. @throws {HostError} for a binding to another Worker. */
function bindings(
  { configuration, fromEnvironment, assets: found }: WorkerdSettings,
  simulators: Simulators,
  served: AssetServices | null,
): readonly CapnpStruct[] {
  const { vars = {}, assets = {}, services = [], name: own } = configuration;
  const variables = Object.entries(vars).filter(([name]) => !fromEnvironment.includes(name));
  const stranger = services.find(({ service }) => service !== own);
  if (stranger !== undefined) {
    throw new HostError(
      `wrangler.json binds "${stranger.binding}" to another Worker, "${stranger.service}", which the local host does not have. Remove the binding.`,
    );
  }
  return [
    ...variables.map(([name, value]) =>
      typeof value === "string" ? { name, text: value } : { name, json: JSON.stringify(value) },
    ),
    ...fromEnvironment.map((name) => ({ name, fromEnvironment: name })),
    ...(found === null ? [] : assetBindings(assets, served)),
    ...services.map(({ binding: name }) => ({ name, service: "main" })),
    ...ownDurableObjects(configuration).map(({ name, class_name: durableObjectNamespace }) => {
      return { name, durableObjectNamespace };
    }),
    ...simulators.bindings,
  ];
}

/** Lists the bindings to static files: the Worker's own, and that of the module in front of it. */
function assetBindings(settings: AssetSettings, served: AssetServices | null): readonly CapnpStruct[] {
  const { binding: own, run_worker_first: first } = settings;
  const toFiles = own === undefined ? [] : [{ name: own, service: served?.files ?? "assets" }];
  if (first === true) {
    return toFiles;
  }
  return [{ name: ASSETS_BINDING, service: served?.router ?? "assets" }, ...toFiles];
}

/** Checks a configuration. @throws {HostError} where it asks for services that the local host does not have. */
function refuseWhatIsNotLocal(configuration: WranglerConfiguration): void {
  const keys = NOT_LOCAL.filter((key) => configuration[key] !== undefined);
  if (keys.length === 0) {
    return;
  }
  throw new HostError(
    `wrangler.json asks for ${keys.join(", ")}, which the local host does not have. Remove it from the deployable.`,
  );
}
