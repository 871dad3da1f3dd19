import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CaseManifest, UserError } from "@evenbench/core";

/** Where `turbo run build` puts the artifact and its manifest. */
export const distDirectory = fileURLToPath(new URL("../dist", import.meta.url));
export const artifactDirectory = join(distDirectory, "artifact");

export interface ArtifactFile {
  /** Relative to the artifact's folder, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly sha256: string;
}

/** `manifest.json`, beside the artifact's folder. */
export interface Manifest {
  readonly schemaVersion: 1;
  readonly digest: string;
  readonly files: readonly ArtifactFile[];
  readonly cases: readonly CaseManifest[];
}

export async function readManifest(dist: string = distDirectory): Promise<Manifest> {
  const path = join(dist, "manifest.json");
  try {
    return JSON.parse(await readFile(path, "utf8")) as Manifest;
  } catch (error) {
    throw new UserError(`The artifact's manifest ${path} cannot be read. Build it with "npm run build".`, {
      cause: error,
    });
  }
}
