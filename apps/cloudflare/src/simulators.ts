import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { resolveTool } from "@evenbench/host/tools";
import type { AssetSettings } from "./asset-paths.ts";
import type { CapnpValue } from "./capnp.ts";

/** A part of workerd's configuration, by the fields of workerd.capnp. */
export type CapnpStruct = Readonly<Record<string, CapnpValue | undefined>>;

/** The stand-ins for services of the platform on this machine: Miniflare's own parts, which are Workers, too. */
export interface Simulators {
  readonly services: readonly CapnpStruct[];
  /** The bindings by which the measured Worker finds them. */
  readonly bindings: readonly CapnpStruct[];
}

/** The bindings of a Worker that there are simulators of, by kind, as wrangler's configuration has them. */
export interface SimulatedBindings {
  readonly kv_namespaces?: readonly { readonly binding: string; readonly id?: string }[];
  readonly r2_buckets?: readonly { readonly binding: string; readonly bucket_name?: string }[];
  readonly d1_databases?: readonly {
    readonly binding: string;
    readonly database_id?: string;
    readonly preview_database_id?: string;
    readonly migrations_dir?: string;
  }[];
  readonly queues?: { readonly producers?: readonly { readonly binding: string; readonly queue: string }[] };
}

/** Simulators hand their log to Miniflare's own server, which does not run here. */
const LOOPBACK_SERVICE = `export default { fetch: () => new Response(null, { status: 204 }) };`;

/** Makes the simulators of KV, R2, D1 and queues. @param storage absolute path of their folder, which is empty at first. */
export async function simulateBindings(
  configuration: SimulatedBindings,
  storage: string,
): Promise<Simulators> {
  const env = miniflareBindings(configuration);
  if (Object.keys(env).length === 0) {
    return { services: [], bindings: [] };
  }
  const { KV_PLUGIN, R2_PLUGIN, D1_PLUGIN, QUEUES_PLUGIN } = await import("miniflare");
  const loopback = {
    name: "loopback",
    worker: {
      modules: [{ name: "loopback.mjs", esModule: LOOPBACK_SERVICE }],
      compatibilityDate: "2026-11-01",
    },
  };
  const services: CapnpStruct[] = [loopback];
  const bindings: CapnpStruct[] = [];
  for (const plugin of [KV_PLUGIN, R2_PLUGIN, D1_PLUGIN, QUEUES_PLUGIN]) {
    const made = await simulatorsOf(plugin, { env }, storage);
    services.push(...made.services);
    bindings.push(...made.bindings);
  }
  return { services, bindings };
}

function miniflareBindings(configuration: SimulatedBindings): Readonly<Record<string, object>> {
  const { kv_namespaces: kv = [], r2_buckets: r2 = [], d1_databases: d1 = [], queues = {} } = configuration;
  const entries = [
    ...kv.map(({ binding, id }) => [binding, { type: "kv", id: id ?? binding }]),
    ...r2.map(({ binding, bucket_name: name }) => [binding, { type: "r2", name: name ?? binding }]),
    // As wrangler names them where it applies migrations.
    ...d1.map(({ binding, database_id: id, preview_database_id: preview }) => [
      binding,
      { type: "d1", id: preview ?? id ?? binding },
    ]),
    ...(queues.producers ?? []).map(({ binding, queue }) => [binding, { type: "queue", name: queue }]),
  ];
  return Object.fromEntries(entries);
}

/** The name of the service of the Worker that is measured, and of its module's own export, without files in front. */
export interface WorkerService {
  readonly service: string;
  readonly entrypoint: string;
}

/** Services of static files. */
export interface AssetServices {
  /** All services that have to run. */
  readonly services: readonly CapnpStruct[];
  /** Name of the service that sends a request to files or to the Worker. */
  readonly router: string;
  /** Name of the service of the files alone. */
  readonly files: string;
}

/** Makes the modules that Miniflare's Workers import by name, as an extension of workerd. */
export async function sharedModules(): Promise<CapnpStruct> {
  const main = resolveTool("miniflare", import.meta.url);
  const folder = join(dirname(main), "workers/shared");
  const modules = await Promise.all(
    [
      { name: "miniflare:shared", file: "index.worker.js" },
      { name: "miniflare:zod", file: "zod.worker.js" },
    ].map(async ({ name, file }) => ({ name, esModule: await readFile(join(folder, file), "utf8") })),
  );
  return { modules };
}

/** The name by which Miniflare names the services of one Worker's files. */
const ASSETS_ID = "evenbench";

/**
 * Makes the platform's services of static files, as Miniflare has them: the one that reads files, and the router in
 * front.
 *
 * @param directory absolute path of the files.
 * @param worker null where nothing goes through the router.
 */
export async function assetServices(
  directory: string,
  settings: AssetSettings,
  compatibility: { readonly date: string; readonly flags: readonly string[] },
  worker: WorkerService | null,
): Promise<AssetServices> {
  const { ASSETS_PLUGIN } = await import("miniflare");
  const config = {
    compatibilityDate: compatibility.date,
    compatibilityFlags: compatibility.flags,
    assets: {
      directory,
      hasUserWorker: true,
      htmlHandling: settings.html_handling,
      notFoundHandling: settings.not_found_handling,
      runWorkerFirst: settings.run_worker_first,
    },
  };
  const { services } = await simulatorsOf(ASSETS_PLUGIN, config, directory);
  const router = `assets:router:${ASSETS_ID}`;
  const others = services.filter(
    ({ name }) => name !== router && !String(name).startsWith("assets:rpc-proxy"),
  );
  const routers = services.filter(({ name }) => name === router);
  return {
    services: [...others, ...(worker === null ? [] : routers.map((service) => leadTo(service, worker)))],
    router,
    files: `assets:assets-service:${ASSETS_ID}`,
  };
}

/** Makes the router lead to the Worker that is measured, past the module in front of it. */
function leadTo(service: CapnpStruct, { service: name, entrypoint }: WorkerService): CapnpStruct {
  const worker = service.worker as CapnpStruct;
  const bindings = (worker.bindings as readonly CapnpStruct[]).map((binding) =>
    binding.name === "USER_WORKER" ? { ...binding, service: { name, entrypoint } } : binding,
  );
  return { ...service, worker: { ...worker, bindings } };
}

/** A log that keeps nothing. */
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** A part of Miniflare. Its own types ask for far more settings than the parts here read. */
interface MiniflarePart {
  /** Resolves to the services that it needs, as structs of workerd.capnp; other shapes for none. */
  getServices(settings: object): unknown;
  /** Resolves to the bindings to them. */
  getBindings(options: object, sharedOptions: object, workerIndex: number): unknown;
}

/** Asks a part of Miniflare for its services and bindings. @param folder absolute path of its storage. */
async function simulatorsOf(plugin: MiniflarePart, config: object, folder: string): Promise<Simulators> {
  const options = { config: { name: ASSETS_ID, ...config }, dev: {}, legacy: {} };
  const sharedOptions = { resourcePersistencePath: folder };
  const settings = {
    log: NO_LOG,
    options,
    sharedOptions,
    workerBindings: [],
    workerIndex: 0,
    additionalModules: [],
    tmpPath: folder,
    workerNames: [],
    durableObjectClassNames: new Map(),
    queueProducers: new Map(),
    queueConsumers: new Map(),
    devRegistryEnabled: false,
  };
  const services = await plugin.getServices(settings);
  const bindings = await plugin.getBindings(options, sharedOptions, 0);
  return {
    services: Array.isArray(services) ? services : [],
    bindings: Array.isArray(bindings) ? bindings : [],
  };
}
