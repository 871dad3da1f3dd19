import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type CaseManifest, UserError } from "@evenbench/core";
import { entriesBelow } from "@evenbench/host";

/** Absolute path of the folder that the build writes. */
export const distDirectory: string = fileURLToPath(new URL("../dist", import.meta.url));
/** Absolute path of the artifact. */
export const artifactDirectory: string = join(distDirectory, "artifact");

/** The contents of `manifest.json`: the cases of the artifact. */
export interface Manifest {
  readonly schemaVersion: 1;
  /** The artifact's digest, see `digestOfDirectory`. */
  readonly digest: string;
  readonly cases: readonly CaseManifest[];
}

/** Reads the artifact's manifest. @throws {UserError} where the artifact has not been built. */
export async function readManifest(dist: string = distDirectory): Promise<Manifest> {
  const path = join(dist, "manifest.json");
  try {
    return JSON.parse(await readFile(path, "utf8")) as Manifest;
  } catch {
    throw new UserError(`The artifact's manifest ${path} cannot be read. Build it with "npm run build".`);
  }
}

/** The file of the artifact that names its digest, and so is no part of it. */
export const DIGEST_FILE = "digest.mjs";

/** Computes a folder's digest: SHA-256 over the sorted lines "<sha256>  <path>\n" of all files but `digest.mjs`. */
export async function digestOfDirectory(directory: string): Promise<string> {
  const paths = (await filesOf(directory)).filter((path) => path !== DIGEST_FILE);
  const lines = await Promise.all(
    paths.map(async (path) => `${hash("sha256", await readFile(join(directory, path)))}  ${path}\n`),
  );
  return hash("sha256", lines.sort().join(""));
}

/** Lists the files below a folder, by paths from it on with slashes. Links are no files. */
export async function filesOf(directory: string): Promise<string[]> {
  const entries = await entriesBelow(directory);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(relative(directory, join(entry.parentPath, entry.name))))
    .sort();
}

/** Writes a path with slashes, whatever the system. */
export function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** Reads a JSON file; null where there is none. @throws where it is no JSON. */
export async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return null;
    }
    throw error;
  }
}
