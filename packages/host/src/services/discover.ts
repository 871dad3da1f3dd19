import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { assertId, type ServiceId } from "@evenbench/core";
import type { ServiceDefinition } from "./define.ts";

/** A service as this machine has it. */
export interface FoundService extends ServiceDefinition {
  readonly id: ServiceId;
  /** Absolute path of the program; null where it is not installed. */
  readonly path: string | null;
}

/** Loads a service and looks for its program. */
export async function findService(id: ServiceId): Promise<FoundService> {
  assertId(id, "Service");
  const file = join(import.meta.dirname, id, "service.ts");
  const { default: definition }: { default?: ServiceDefinition } = await import(
    pathToFileURL(file).href
  ).catch(() => ({}));
  if (definition === undefined) throw new TypeError(`There is no service "${id}": ${file} cannot be loaded.`);
  return { ...definition, id, path: await findProgram(definition.program) };
}

/** Of the services, those whose program is not installed here. */
export async function missingServices(ids: readonly ServiceId[]): Promise<readonly FoundService[]> {
  const found = await Promise.all([...new Set(ids)].map(findService));
  return found.filter(({ path }) => path === null);
}

/** "memcached is not installed. Install it with: apt-get install memcached" */
export function howToInstall({ program, install }: ServiceDefinition): string {
  return `${program} is not installed. Install it with: ${install}`;
}

/** Looks for a program as the shell does. */
export async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = resolve(folder, name);
    if (folder !== "" && (await isExecutable(path))) return path;
  }
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
