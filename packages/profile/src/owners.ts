// Whose a file is, by its path.
import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { GeneratedFiles } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import type { Owner } from "@evenbench/results";

const CASE_OWNER: Owner = { kind: "case", name: "the case" };
const HARNESS_OWNER: Owner = { kind: "harness", name: "evenbench" };

/** Finds the owner of a file by its path with slashes; null where the path does not say it. */
export type OwnerOfPath = (path: string) => Owner | null;

/** Owners of the repository's sources by path: cases and pages are the case's, the rest is Evenbench's. */
const SOURCES: readonly (readonly [path: RegExp, owner: Owner])[] = [
  [/^packages\/cases\//, CASE_OWNER],
  [/^apps\/[^/]+\/(?:app|src\/(?:components|pages|routes))\//, CASE_OWNER],
  [/^(?:packages|apps|src)\//, HARNESS_OWNER],
];

/**
 * Prepares to find the owner of a deployable's file: a package, a generated file, or a source.
 *
 * @param generated the files that the app's build generates, and whose each is.
 */
export function ownerByPath(generated: readonly GeneratedFiles[] = []): OwnerOfPath {
  const made = generated.map(({ path, from }) => [path, ownerFrom(from)] as const);
  return (path) => {
    const plain = path.replace(/^(\.\.?\/)+/, "");
    const installed = installedPackageOf(plain);
    if (installed !== null) {
      return ownerOfPackage(installed);
    }
    return [...made, ...SOURCES].find(([known]) => known.test(plain))?.[1] ?? null;
  };
}

function ownerFrom(from: GeneratedFiles["from"]): Owner | null {
  if (from === "case") {
    return CASE_OWNER;
  }
  if (from === "harness") {
    return HARNESS_OWNER;
  }
  return from === null ? null : ownerOfPackage(from.package);
}

/** Finds the owner of a file of somebody's own. The server around an app on a platform is Evenbench's. */
export function ownerInProject(path: string): Owner {
  const installed = installedPackageOf(path);
  if (installed !== null) {
    return ownerOfPackage(installed);
  }
  const isServer = /^(?:apps|packages)\//.test(path) && existsSync(join(repositoryRoot, path));
  return isServer ? HARNESS_OWNER : { kind: "case", name: "your code" };
}

/**
 * Gives a runtime as the owner of a script by its URL: "node:internal/timers", "node-internal:internal_buffer",
 * "ext:core/01_core.js", or "" for its built-in functions; null for a script that is not a runtime's own.
 *
 * @param runtime the runtime's name, such as "Node.js".
 */
export function ownerOfRuntime(url: string, runtime: string): Owner | null {
  if (url === "") {
    return { kind: "runtime", name: `${runtime} built-in functions` };
  }
  const isOwn = /^(?!file:|data:|wasm:)[a-z-]{2,}:/.test(url) || isBuiltin(url);
  return isOwn ? { kind: "runtime", name: `${runtime} internals` } : null;
}

function ownerOfPackage(name: string): Owner {
  return { kind: "package", name };
}

/**
 * Finds the package in the last node_modules of a path; null without one. A package that Next.js carries along
 * precompiled counts as itself.
 */
function installedPackageOf(path: string): string | null {
  const inside = path.split("node_modules/").at(-1);
  if (inside === undefined || inside === path) {
    return null;
  }
  const name = /^(@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? null;
  if (name !== "next") {
    return name;
  }
  const compiled = /^next\/dist\/compiled\/((?:@[^/]+\/)?[^/]+)\//.exec(inside)?.[1];
  return compiled === undefined || compiled === "next-server" ? name : compiled;
}

/** Gives Evenbench as the owner of a module that a platform puts in front of an app, which is in no file; null of others. */
export function ownerOfFront(url: string): Owner | null {
  return /^evenbench-[a-z]+\.mjs$/.test(url) ? HARNESS_OWNER : null;
}
