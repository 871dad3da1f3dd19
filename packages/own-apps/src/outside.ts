// What an app is made of beyond its own folders: files that its modules read, and ends of links.
import { existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "@evenbench/bundle/deployable";
import type { OwnAppSource } from "@evenbench/core";
import { isDenied, readOthersText } from "@evenbench/core/user-file";
import { MODULES, sourceFiles } from "./files.ts";
import { repositoryAbove } from "./ignored.ts";

/** Where a link ends that leads out of a workspace. */
export interface EndOutside {
  /** Absolute path, without links in it. */
  readonly end: string;
  /** What a copy needs of that place: the end, or the folder of packages that it lies in beside its own dependencies. */
  readonly root: string;
}

/** A link that a private copy cannot have. */
export interface LostEnd {
  readonly why:
    | "leads nowhere"
    | "leads to a folder above the app"
    | "leads to processes or devices"
    | "may not be read";
}

/** A path at which the system shows processes and devices: what is there changes, or has no end. */
const OF_SYSTEM = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;

/** Finds where a link ends, if that is outside of a workspace; null where it is within. */
export function endOutside(workspace: string, link: string): EndOutside | LostEnd | null {
  const named = resolve(dirname(link), readlinkSync(link));
  if (isWithin(workspace, named)) {
    return null;
  }
  const end = OF_SYSTEM.test(named) ? named : endOf(named);
  if (typeof end !== "string") {
    return end;
  }
  if (isWithin(workspace, end)) {
    return null;
  }
  if (OF_SYSTEM.test(end)) {
    return { why: "leads to processes or devices" };
  }
  if (isWithin(end, workspace)) {
    return { why: "leads to a folder above the app" };
  }
  const modules = modulesAround(end);
  return { end, root: modules === null || isWithin(modules, workspace) ? end : modules };
}

function endOf(named: string): string | LostEnd {
  try {
    return realpathSync(named);
  } catch (error) {
    return { why: isDenied(error) ? "may not be read" : "leads nowhere" };
  }
}

/** Gives the folder of packages that a package lies in directly: its own name may have a scope. null in none. */
function modulesAround(path: string): string | null {
  const above = dirname(path);
  const folder = basename(above).startsWith("@") ? dirname(above) : above;
  return basename(folder) === MODULES ? folder : null;
}

/** How far an app reaches. Paths are absolute. */
type Reach = Pick<OwnAppSource, "workspace" | "unreached">;

/**
 * Finds how far an app reaches beyond its root: to its repository, where it reads files outside of the root. Nothing else
 * above it is taken. All of its modules are read for that.
 */
export function reachOf({ folder, root }: Pick<OwnAppSource, "folder" | "root">): Reach {
  const repository = repositoryAbove(folder);
  const read = firstReadOutside(folder, root);
  if (read === null) {
    return { workspace: root, unreached: null };
  }
  const hasBoth = repository !== null && isWithin(repository, read) && isWithin(repository, root);
  return hasBoth && repository !== homedir()
    ? { workspace: repository, unreached: null }
    : { workspace: root, unreached: read };
}

/** Files that may read others by a relative path. */
const READERS =
  /\.(?:[cm]?[jt]sx?|svelte|astro|vue|s?css|less|mdx?)$|(?:^|\/)(?:[jt]sconfig[\w.]*|package|wrangler)\.jsonc?$/;
/** A text that is a path leading upwards, with what a package manager writes before it. */
const UPWARD = /["'`](?:(?:file|link|portal):)?(\.\.\/[^"'`\n]*)["'`]/g;
/** Endings that a path may lack. */
const ENDINGS = ["", ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css", ".svelte"];
/** Letters of a file beyond which it is data. */
const LARGEST_READER = 1_000_000;

/** Finds a file or folder outside of a root that the app's own files name by a relative path; null where there is none. */
function firstReadOutside(folder: string, root: string): string | null {
  const { files } = sourceFiles({ workspace: folder, folder });
  for (const { path, kind } of files) {
    const file = join(folder, path);
    if (kind !== "file" || !READERS.test(path) || statSync(file).size > LARGEST_READER) {
      continue;
    }
    for (const [, named = ""] of readOthersText(file).matchAll(UPWARD)) {
      const target = resolve(dirname(file), named);
      const isOutside = !isWithin(root, target) && !isWithin(target, root);
      if (isOutside && ENDINGS.some((ending) => existsSync(target + ending))) {
        return target;
      }
    }
  }
  return null;
}
