import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { messageOf, UsageError, UserError } from "@evenbench/core";
import { readUserFile } from "@evenbench/core/user-file";

/**
 * Files of variables, in the order in which frameworks read them for production: a later file replaces values
 * of an earlier one.
 */
const FILES = [".env", ".env.production", ".env.local", ".env.production.local", ".dev.vars"];

/** Variables by which Evenbench itself steers a server: a user's values would start it elsewhere, or otherwise. */
const RESERVED = /^(?:PORT|HOST|HOSTNAME|PATH|NODE_ENV|NODE_OPTIONS|EVENBENCH_.*)$/;

/** The variables of a user's app. */
export interface OwnEnvironment {
  /** Values by name. They are given to builds and servers, and never written into records. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names that files have and that were left out, since Evenbench sets them. */
  readonly leftOut: readonly string[];
  /** The files that were read: names in the app's folder, then paths as they were typed. */
  readonly files: readonly string[];
}

/**
 * Reads an app's variables from its own files, and from files that were given beside them.
 *
 * @param folder the app's; null: there is no app, as where a command starts a server.
 * @param given paths of `--env-file`, which replace values of the app's own files.
 * @throws {UserError} where a file cannot be read, as a pipe, which nobody may ever write to.
 */
export async function readEnvironment(
  folder: string | null,
  given: readonly string[],
): Promise<OwnEnvironment> {
  const own = folder === null ? [] : FILES.map((name) => join(folder, name)).filter(existsSync);
  const all: Record<string, string> = Object.create(null);
  for (const file of own) {
    Object.assign(all, parseEnv(await readOwn(file)));
  }
  for (const file of given) {
    Object.assign(all, parseEnv(await readGiven(file)));
  }
  const variables: Record<string, string> = Object.create(null);
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries(all)) {
    if (RESERVED.test(name)) {
      leftOut.push(name);
    } else {
      variables[name] = value;
    }
  }
  return { variables, leftOut, files: [...own.map((file) => basename(file)), ...given] };
}

async function readOwn(file: string): Promise<string> {
  try {
    return await readUserFile(file);
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}. Correct it, or move it away.`);
  }
}

async function readGiven(file: string): Promise<string> {
  try {
    return await readUserFile(resolve(file));
  } catch (error) {
    throw new UsageError(`--env-file cannot read ${file}: ${messageOf(error)}. Give another file.`);
  }
}
