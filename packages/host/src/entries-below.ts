import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Lists all files and folders below a folder, in no order. Links are listed, and not followed. Node.js's own
 * recursive `readdir` follows links to folders from version 26 on, so that files are there twice, or lie elsewhere.
 */
export async function entriesBelow(folder: string): Promise<readonly Dirent[]> {
  const found: Dirent[] = [];
  const foldersAhead = [folder];
  for (let next = foldersAhead.pop(); next !== undefined; next = foldersAhead.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      found.push(entry);
      if (entry.isDirectory()) {
        foldersAhead.push(join(next, entry.name));
      }
    }
  }
  return found;
}
