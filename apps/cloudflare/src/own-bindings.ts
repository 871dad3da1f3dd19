// The bindings of a user's own configuration of wrangler: all of them, and those that the local host has.
import type { OwnAppBuild } from "@evenbench/core";
import type { MissingBinding } from "./missing-bindings.ts";
import type { SimulatedBindings } from "./simulators.ts";
import { BINDING_KINDS, ownDurableObjects, type WranglerConfiguration } from "./wrangler.ts";

/** Bindings as wrangler's configuration has them. */
export type LocalBindings = SimulatedBindings &
  Pick<WranglerConfiguration, "durable_objects" | "migrations" | "services">;

/** Gives the bindings that the local host has. */
export function localBindings(content: LocalBindings & { readonly name?: string }): LocalBindings {
  const { name = "worker", kv_namespaces = [], r2_buckets = [], d1_databases = [], queues = {} } = content;
  const bindings = ownDurableObjects(content);
  return {
    kv_namespaces,
    r2_buckets,
    d1_databases,
    queues: { producers: queues.producers ?? [] },
    durable_objects: { bindings },
    migrations: bindings.length > 0 ? (content.migrations ?? []) : [],
    services: (content.services ?? []).filter(({ service }) => service === name),
  };
}

/** Lists the names of bindings that the local host has. */
export function namesOfLocal(local: LocalBindings): readonly string[] {
  const { kv_namespaces: kv = [], r2_buckets: r2 = [], d1_databases: d1 = [], queues, services = [] } = local;
  const bound = [...kv, ...r2, ...d1, ...(queues?.producers ?? []), ...services];
  const objects = local.durable_objects?.bindings ?? [];
  return [...bound.map(({ binding }) => binding), ...objects.map(({ name }) => name)];
}

/** Lists all bindings of a configuration. */
export function bindingsOf(configuration: object): MissingBinding[] {
  const byKey = new Map<string, unknown>(Object.entries(configuration));
  const found = [...byKey].flatMap(([key, value]) => {
    const { kind = key.replaceAll("_", " "), nameKey = "binding" } = BINDING_KINDS[key] ?? {};
    // Variables and settings have any names; lists of other kinds have bindings alone.
    const isKind = key in BINDING_KINDS || Array.isArray(value);
    return isKind ? [value].flat().flatMap((entry) => namedBinding(entry, nameKey, kind)) : [];
  });
  const { bindings: objects = [] } = (byKey.get("durable_objects") ?? {}) as {
    bindings?: readonly unknown[];
  };
  const { producers = [] } = (byKey.get("queues") ?? {}) as { producers?: readonly unknown[] };
  return [
    ...found,
    ...objects.flatMap((entry) => namedBinding(entry, "name", "Durable Object")),
    ...producers.flatMap((entry) => namedBinding(entry, "binding", "queue")),
  ];
}

/** Makes a binding of an entry that has its name under a key. */
function namedBinding(entry: unknown, key: string, kind: string): MissingBinding[] {
  const name = (entry as Record<string, unknown> | null)?.[key];
  return typeof name === "string" ? [{ name, kind }] : [];
}

const OWN_KINDS = ["Durable Object", "service binding"];

/** Records, of bindings that the local host has, those that simulators stand for: workerd has the others by itself. */
export function noteSimulated({ simulate }: OwnAppBuild, bindings: readonly MissingBinding[]): void {
  for (const binding of bindings.filter(({ kind }) => !OWN_KINDS.includes(kind))) {
    simulate({ target: "cloudflare", binding: bindingNames([binding]), by: "Miniflare" });
  }
}

/** Joins bindings for people: "KV namespace BLOG, queue JOBS". */
export function bindingNames(bindings: readonly MissingBinding[]): string {
  return bindings.map(({ kind, name }) => `${kind} ${name}`).join(", ");
}
