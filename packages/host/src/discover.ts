import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AppDefinition,
  type NamedOwnAppFramework,
  namePlatform,
  type OwnAppFramework,
  type Platform,
  type PlatformDefinition,
  whyNoId,
} from "@evenbench/core";
import { repositoryRoot } from "#repository";
import { HostError } from "./loopback.ts";
import { registerTextImports } from "./text-imports.ts";

// Apps may name cases by their sources, and these may import text.
registerTextImports();

export function discoverPlatforms(root = repositoryRoot, leaveOut?: LeaveOut): Promise<Platform[]> {
  const accept = (id: string, definition: unknown) => {
    assertMade<PlatformDefinition>(definition, "definePlatform", ["serve"]);
    return namePlatform(id, definition);
  };
  return loadEach("platform.ts", root, ["apps"], accept, leaveOut);
}

export function discoverApps(root = repositoryRoot, leaveOut?: LeaveOut): Promise<AppDefinition[]> {
  const accept = (id: string, definition: unknown) => {
    assertMade<AppDefinition>(definition, "defineApp", ["cases", "deployable"]);
    if (definition.id === id) {
      return definition;
    }
    throw new LeftOutError(`it says id "${definition.id}", but its folder is "${id}": give both one name`);
  };
  return loadEach("app.ts", root, ["apps", "packages"], accept, leaveOut);
}

/** What knows how to build apps that nobody here wrote, in the order in which it is asked. */
export async function discoverOwnApps(
  root = repositoryRoot,
  leaveOut?: LeaveOut,
): Promise<NamedOwnAppFramework[]> {
  const accept = (id: string, definition: unknown): NamedOwnAppFramework => {
    assertMade<OwnAppFramework>(definition, "defineOwnApp", ["detect", "build"]);
    return { ...definition, id };
  };
  const found = await loadEach("own.ts", root, ["apps"], accept, leaveOut);
  return found.sort((a, b) => a.order - b.order);
}

/**
 * The default exports of files of that name in all folders of the parents, by the folders' names. One that cannot be
 * loaded costs itself alone.
 *
 * @param accept throws a LeftOutError for what is no definition.
 */
export async function loadEach<T>(
  name: string,
  root: string,
  parents: readonly string[],
  accept: (id: string, definition: unknown) => T,
  leaveOut: LeaveOut = refuse,
): Promise<T[]> {
  const loaded: T[] = [];
  for (const { id, file } of filesNamed(name, root, parents)) {
    try {
      const reason = whyNoId(id, "Folder");
      if (reason !== null) {
        throw new LeftOutError(reason);
      }
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

function assertMade<T>(value: unknown, by: string, functions: (keyof T)[]): asserts value is T {
  const made = value as T | null | undefined;
  if (functions.every((name) => typeof made?.[name] === "function")) {
    return;
  }
  throw new LeftOutError(`it must have \`${by}({ ... })\` as its default export`);
}

export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

export type LeaveOut = (leftOut: LeftOut) => void;

export class LeftOutError extends Error {}

const refuse: LeaveOut = ({ path, reason }) => {
  throw new HostError(`${path} cannot be loaded: ${reason}`);
};

function whyNotLoaded(error: unknown): string {
  if (error instanceof LeftOutError) {
    return error.message;
  }
  const [, name] = MISSING_PACKAGE.exec(String((error as Error | null)?.message)) ?? [];
  if (name !== undefined) {
    return `its package "${name}" is not installed. See that its package.json names it, and install: \`npx pnpm install\``;
  }
  return `its top level threw: ${String(error).replace(/\s+/g, " ").slice(0, 300)}`;
}

/** Node.js has no field for it. A name that is a path is no package that was asked for. */
const MISSING_PACKAGE = /^Cannot find package '((?:@[^/\\']+\/)?[^/\\']+)' imported from /;
