import { isBuiltin } from "node:module";
import type { Owner } from "@evenbench/results";

/** Handler cases, the pages they share, and the pages of apps, wherever their framework looks for them. */
const CASES = [/^packages\/cases\//, /^apps\/[^/]+\/(app|src\/(components|pages|routes))\//];

const SVELTE_ADAPTERS: ReadonlyMap<string, string> = new Map([
  ["adapter-node", "@sveltejs/adapter-node"],
  ["vercel-tmp", "@sveltejs/adapter-vercel"],
  ["cloudflare", "@sveltejs/adapter-cloudflare"],
]);

const CASE: Owner = { kind: "case", name: "the case" };
const HARNESS: Owner = { kind: "harness", name: "evenbench" };

export function ownerOfPath(path: string): Owner | null {
  const plain = path.replace(/^(\.\.?\/)+/, "");
  const installed = packageOf(plain);
  if (installed !== null) return ownerOfPackage(installed);
  // What OpenNext generates and puts beside its handler.mjs, which is a bundle of everything.
  if (plain.includes(".open-next/") && !plain.includes(".next/server/")) {
    return plain.endsWith("/handler.mjs") ? null : ownerOfPackage("@opennextjs/cloudflare");
  }
  const chunk = /\.next\/server\/(?:.*\/)?([^/]+)$/.exec(plain)?.[1];
  if (chunk !== undefined) return ownerOfChunk(chunk);
  // SvelteKit names what it makes of a route's files after them.
  if (/(^|\/)entries\/(pages|endpoints)\//.test(plain)) return CASE;
  const generator = /(?:^|\/)\.svelte-kit\/([^/]+)\//.exec(plain)?.[1];
  const adapter = SVELTE_ADAPTERS.get(generator ?? "");
  if (adapter !== undefined) return ownerOfPackage(adapter);
  if (CASES.some((pattern) => pattern.test(plain))) return CASE;
  return /^(packages|apps|src)\//.test(plain) ? HARNESS : null;
}

export function ownerInProject(path: string): Owner {
  const installed = packageOf(path);
  return installed === null ? { kind: "case", name: "your code" } : ownerOfPackage(installed);
}

/** "node:internal/timers", "node-internal:internal_buffer", "ext:core/01_core.js". */
export function ownerOfRuntime(url: string, runtime: string): Owner | null {
  if (url === "") return { kind: "runtime", name: `${runtime} built-in functions` };
  const isOwn = /^(?!file:|data:|wasm:)[a-z-]{2,}:/.test(url) || isBuiltin(url);
  return isOwn ? { kind: "runtime", name: `${runtime} internals` } : null;
}

function ownerOfPackage(name: string): Owner {
  return { kind: "package", name };
}

/** In the last node_modules of a path. What Next.js carries along precompiled counts as what it is. */
function packageOf(path: string): string | null {
  const inside = path.split("node_modules/").at(-1);
  if (inside === undefined || inside === path) return null;
  const name = /^(@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? null;
  if (name !== "next") return name;
  const compiled = /^next\/dist\/compiled\/((?:@[^/]+\/)?[^/]+)\//.exec(inside)?.[1];
  return compiled === undefined || compiled === "next-server" ? name : compiled;
}

/** Turbopack names its chunks after what is in them: "0c8l_next_dist_client_components_…". */
function ownerOfChunk(file: string): Owner | null {
  if (/^\[turbopack\]_runtime/.test(file) || /_next_dist_/.test(file)) return ownerOfPackage("next");
  if (/^(packages_cases|apps_next_app)_/.test(file)) return CASE;
  return /^packages_/.test(file) ? HARNESS : null;
}
