import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AppDefinition,
  namePlatform,
  type Platform,
  type PlatformDefinition,
  whyNoId,
} from "@evenbench/core";
import { repositoryRoot } from "#repository";
import { type LeaveOut, LeftOutError, refuse, whyNotLoaded } from "./left-out.ts";
import { registerTextImports } from "./text-imports.ts";

// Apps may name cases by their sources, and these may import text.
registerTextImports();

/** Finds every platform: `apps/<id>/platform.ts`, in order of id. */
export async function discoverPlatforms(
  root = repositoryRoot,
  leaveOut: LeaveOut = refuse,
): Promise<Platform[]> {
  return loadEach("platform.ts", root, ["apps"], leaveOut, (id, definition) => {
    if (hasFunctions<PlatformDefinition>(definition, "serve")) return namePlatform(id, definition);
    throw new LeftOutError("it must have `definePlatform({ ... })` as its default export");
  });
}

/** Finds every app: `{apps,packages}/<folder>/app.ts`, in order of id. An app's id is its folder's name. */
export async function discoverApps(
  root = repositoryRoot,
  leaveOut: LeaveOut = refuse,
): Promise<AppDefinition[]> {
  return loadEach("app.ts", root, ["apps", "packages"], leaveOut, (id, definition) => {
    if (!hasFunctions<AppDefinition>(definition, "cases", "deployable")) {
      throw new LeftOutError("it must have `defineApp({ ... })` as its default export");
    }
    if (definition.id === id) return definition;
    throw new LeftOutError(`it says id "${definition.id}", but its folder is "${id}": give both one name`);
  });
}

/** Loads every file of a name, one after the other; one that cannot be loaded costs itself alone. */
async function loadEach<T>(
  name: string,
  root: string,
  parents: readonly string[],
  leaveOut: LeaveOut,
  accept: (id: string, definition: unknown) => T,
): Promise<T[]> {
  const loaded: T[] = [];
  for (const { id, file } of filesNamed(name, root, parents)) {
    try {
      const reason = whyNoId(id, "Folder");
      if (reason !== null) throw new LeftOutError(reason);
      const module: { default?: unknown } = await import(pathToFileURL(file).href);
      loaded.push(accept(id, module.default));
    } catch (error) {
      leaveOut({ path: relative(root, file), reason: whyNotLoaded(error) });
    }
  }
  return loaded;
}

function filesNamed(name: string, root: string, parents: readonly string[]): { id: string; file: string }[] {
  return parents
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((id) => ({ id, file: join(parent, id, name) })))
    .filter(({ file }) => existsSync(file))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function hasFunctions<T>(value: unknown, ...names: (keyof T & string)[]): value is T {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "function")
  );
}
