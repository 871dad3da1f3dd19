import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { UserError } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import type { Template } from "./template.ts";

const templates = fileURLToPath(new URL("../../templates/", import.meta.url));

/** What tests and tools leave in a folder: no part of a template. */
const LEFT_BEHIND = /^(dist|node_modules|\..*)$/;

/** A folder that cannot be made. */
class CreateError extends UserError {}

export interface Created {
  /** Relative to the repository's root, like the files. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Commands to go on with, in order. */
  readonly next: readonly string[];
}

/** What can be added, in alphabetical order: the folders of templates/. */
export async function listKinds(): Promise<readonly string[]> {
  return (await readdir(templates)).sort();
}

/**
 * Writes a new working folder with its test.
 *
 * @param kind one of `listKinds()`.
 * @param root the repository that gets it; default: this one.
 * @throws {CreateError} when the id cannot be given or its folder is there.
 */
export async function createFolder(kind: string, id: string, root = repositoryRoot): Promise<Created> {
  const template = await loadTemplate(kind);
  const reason = template.whyNoId(id);
  if (reason !== null) throw new CreateError(`There can be no ${kind} "${id.slice(0, 64)}": ${reason}`);
  const folder = join(template.parent, id);
  if (existsSync(join(root, folder))) {
    throw new CreateError(`${folder} is there already. Give another id, or remove that folder.`);
  }
  const source = join(templates, kind, "files");
  const files = await templateFiles(source);
  // Written aside and put in place when whole: nobody finds half of it.
  const staging = join(root, template.parent, `.new-${id}-${process.pid}`);
  try {
    for (const file of files) {
      const text = await readFile(join(source, file), "utf8");
      await mkdir(dirname(join(staging, file)), { recursive: true });
      await writeFile(join(staging, file), text.replaceAll(`template-${kind}`, id));
    }
    await rename(staging, join(root, folder));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return { folder, files: files.map((file) => join(folder, file)), next: template.next(id) };
}

async function loadTemplate(kind: string): Promise<Template> {
  const module: { default: Template } = await import(
    pathToFileURL(join(templates, kind, "template.ts")).href
  );
  return module.default;
}

/** All files of a template, relative to its folder. */
async function templateFiles(source: string): Promise<string[]> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(/[\\/]/).some((part) => LEFT_BEHIND.test(part)))
    .sort();
}
