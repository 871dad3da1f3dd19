import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type AppDefinition,
  assertId,
  namePlatform,
  type Platform,
  type PlatformDefinition,
} from "@evenbench/core";
import { HostError } from "./loopback.ts";

/** The repository's root. */
export const repositoryRoot = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Finds every platform: `apps/<id>/platform.ts`, in order of id.
 *
 * @throws {TypeError} when a folder's name is no id, or its file does not export a platform as default.
 */
export async function discoverPlatforms(root = repositoryRoot): Promise<Platform[]> {
  const platforms: Platform[] = [];
  for (const { id, file } of filesNamed("platform.ts", root, ["apps"])) {
    const definition = await defaultExport(file);
    if (!hasFunctions<PlatformDefinition>(definition, "serve")) {
      throw new TypeError(`${file} must have \`definePlatform({ ... })\` as its default export.`);
    }
    platforms.push(namePlatform(id, definition));
  }
  return platforms;
}

/**
 * Finds every app: `{apps,packages}/<folder>/app.ts`, in order of id. An app's id is its folder's name.
 *
 * @throws {TypeError} when an id is none or not the folder's name, or a file does not export an app as default.
 */
export async function discoverApps(root = repositoryRoot): Promise<AppDefinition[]> {
  const apps: AppDefinition[] = [];
  for (const { id, file } of filesNamed("app.ts", root, ["apps", "packages"])) {
    const definition = await defaultExport(file);
    if (!hasFunctions<AppDefinition>(definition, "cases", "deployable")) {
      throw new TypeError(`${file} must have \`defineApp({ ... })\` as its default export.`);
    }
    assertId(definition.id, "App");
    if (definition.id !== id) {
      throw new TypeError(
        `${file} says id "${definition.id}", but its folder is "${id}": give both one name.`,
      );
    }
    apps.push(definition);
  }
  return apps;
}

function filesNamed(name: string, root: string, parents: readonly string[]): { id: string; file: string }[] {
  return parents
    .map((parent) => join(root, parent))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((id) => ({ id, file: join(parent, id, name) })))
    .filter(({ file }) => existsSync(file))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function defaultExport(file: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(file).href);
    return module.default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    // A folder that was just added, or came with a pull. After its first line Node.js guesses what was meant.
    const [missing] = (error as Error).message.split("\n");
    throw new HostError(`${file} cannot be loaded: ${missing}. Install what it needs: \`npx pnpm install\`.`);
  }
}

function hasFunctions<T>(value: unknown, ...names: (keyof T & string)[]): value is T {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "function")
  );
}
