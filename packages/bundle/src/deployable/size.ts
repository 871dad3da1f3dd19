import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export interface FolderSize {
  readonly bytes: number;
  /** Each file compressed by itself with zlib's default level, and added up. */
  readonly gzipBytes: number;
}

/** Size of all files below a folder; links count as what they point to, folders that are links do not. */
export async function sizeOfFolder(folder: string): Promise<FolderSize> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let total: FolderSize = { bytes: 0, gzipBytes: 0 };
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!(await stat(file)).isFile()) continue;
    const content = await readFile(file);
    const { byteLength } = await promisify(gzip)(content);
    total = addSizes(total, { bytes: content.byteLength, gzipBytes: byteLength });
  }
  return total;
}

/** Bytes of all files below a folder, without reading them. */
export async function bytesOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(entries.map((entry) => stat(join(entry.parentPath, entry.name))));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

function addSizes(one: FolderSize, other: FolderSize): FolderSize {
  return { bytes: one.bytes + other.bytes, gzipBytes: one.gzipBytes + other.gzipBytes };
}
