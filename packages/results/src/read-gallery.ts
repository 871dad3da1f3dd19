import { readRecord } from "./read-files.ts";
import { type GalleryEntry, galleryEntrySchema } from "./schema/gallery.ts";

/** In the folder of each run of a gallery. */
export const ENTRY_FILE = "entry.json";

/** @throws {ResultsError} when a folder holds no entry, it is not valid, or a newer Evenbench wrote it. */
export async function readGalleryEntry(folder: string): Promise<GalleryEntry> {
  const { record } = await readRecord(folder, { name: ENTRY_FILE, schema: galleryEntrySchema, version: 2 });
  return record;
}
