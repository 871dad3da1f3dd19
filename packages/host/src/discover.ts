import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AppDefinition,
  type CaseManifest,
  errorLine,
  type NamedOwnAppFramework,
  namePlatform,
  type OwnAppFramework,
  type Platform,
  type PlatformDefinition,
  whyNoId,
  withKnownWarmUps,
} from "@evenbench/core";
import { MODULE_ENDING, repositoryRoot } from "#repository";
import { watchLoading } from "./loading-watch.ts";
import { HostError } from "./loopback.ts";
import { registerTextImports } from "./text-imports.ts";

// Apps may name cases by their sources, and these may import text.
registerTextImports();

/**
 * Loads all platforms: the folders of apps/ with a `platform.ts`, by name.
 *
 * @param leaveOut is called for each that cannot be loaded. Default: the first one is thrown.
 */
export function discoverPlatforms(root: string = repositoryRoot, leaveOut?: LeaveOut): Promise<Platform[]> {
  const accept = (id: string, definition: unknown) => {
    assertMade<PlatformDefinition>(definition, "definePlatform", ["serve"]);
    return namePlatform(id, definition);
  };
  return loadEach("platform.ts", root, ["apps"], accept, leaveOut);
}

/**
 * Loads all apps: the folders of apps/ and packages/ with an `app.ts`, by name. Their cases carry what the
 * platforms know of them.
 *
 * @param leaveOut is called for each that cannot be loaded. Default: the first one is thrown.
 */
export async function discoverApps(
  root: string = repositoryRoot,
  leaveOut?: LeaveOut,
): Promise<AppDefinition[]> {
  const accept = (id: string, definition: unknown) => {
    assertMade<AppDefinition>(definition, "defineApp", ["cases", "deployable"]);
    if (definition.id === id) {
      return definition;
    }
    throw new LeftOutError(`it says id "${definition.id}", but its folder is "${id}": give both one name`);
  };
  const apps = await loadEach("app.ts", root, ["apps", "packages"], accept, leaveOut);
  return apps.map((app) => ({ ...app, cases: () => casesWithWarmUps(app, root) }));
}

/** Lists an app's cases with the warm-up that platforms are known to need for them. */
async function casesWithWarmUps(app: AppDefinition, root: string): Promise<readonly CaseManifest[]> {
  const cases = await app.cases();
  // Whoever needs a platform that cannot be loaded is told by `discoverPlatforms` itself.
  return withKnownWarmUps(cases, await discoverPlatforms(root, () => {}));
}

/** Finds the frameworks that can build apps which nobody here wrote, in the order in which they are asked. */
export async function discoverOwnApps(): Promise<NamedOwnAppFramework[]> {
  const accept = (id: string, definition: unknown): NamedOwnAppFramework => {
    assertMade<OwnAppFramework>(definition, "defineOwnApp", ["detect", "build"]);
    return { ...definition, id };
  };
  const found = await loadEach("own.ts", repositoryRoot, ["apps"], accept);
  return found.sort((a, b) => a.order - b.order);
}

/**
 * Loads the default exports of files of one name in all folders of the parents, in order of the folders'
 * names. One that cannot be loaded costs itself alone. One whose top level does not end within a minute ends
 * the process, since nothing else can end a loop in it.
 *
 * @param accept throws a LeftOutError for what is no definition.
 */
export async function loadEach<T>(
  name: string,
  root: string,
  parents: readonly string[],
  accept: (id: string, definition: unknown) => T,
  leaveOut: LeaveOut = throwLeftOut,
): Promise<T[]> {
  const loaded: T[] = [];
  using watch = watchLoading();
  for (const { id, file } of filesNamed(name, root, parents)) {
    try {
      const reason = whyNoId(id, "Folder");
      if (reason !== null) {
        throw new LeftOutError(reason);
      }
      watch.begin(relative(root, file));
      const module: { default?: unknown } = await import(pathToFileURL(file).href);
      loaded.push(accept(id, module.default));
    } catch (error) {
      leaveOut({ path: relative(root, file), reason: whyNotLoaded(error) });
    }
  }
  return loaded;
}

/** Lists the files of a name in the folders below the parents, by name of their folder. */
function filesNamed(name: string, root: string, parents: readonly string[]): { id: string; file: string }[] {
  const file = name.replace(/\.ts$/, MODULE_ENDING);
  return parents
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((id) => ({ id, file: join(parent, id, file) })))
    .filter((found) => existsSync(found.file))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** @throws {LeftOutError} where a default export lacks functions of what `by` makes. */
function assertMade<T>(value: unknown, by: string, functions: (keyof T)[]): asserts value is T {
  const made = value as T | null | undefined;
  if (functions.every((name) => typeof made?.[name] === "function")) {
    return;
  }
  throw new LeftOutError(`it must have \`${by}({ ... })\` as its default export`);
}

/** A definition that could not be loaded. */
export interface LeftOut {
  /** Path of the file that was left out, relative to the root. */
  readonly path: string;
  /** The reason for which it was left out, in words that go behind the path. */
  readonly reason: string;
}

/** Is called with a definition that could not be loaded. */
export type LeaveOut = (leftOut: LeftOut) => void;

/** The error of a file without a definition. Its message goes behind the file's path. */
export class LeftOutError extends Error {}

/** Throws for a definition that could not be loaded. */
const throwLeftOut: LeaveOut = ({ path, reason }) => {
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
  return `its top level threw: ${errorLine(error)}`;
}

/**
 * Finds the package in the message of an import that fails: the error has no field for it. A name that is a path is no
 * package that was imported.
 */
const MISSING_PACKAGE = /^Cannot find package '((?:@[^/\\']+\/)?[^/\\']+)' imported from /;
