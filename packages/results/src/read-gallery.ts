import { EVENBENCH } from "@evenbench/core/called";
import { readRecord } from "./read-files.ts";
import { GALLERY_ENTRY_SCHEMA_VERSION, type GalleryEntry, galleryEntrySchema } from "./schema/gallery.ts";

/** In the folder of each run of a gallery. */
export const ENTRY_FILE = "entry.json";

/** @throws {ResultsError} when a folder holds no entry, it is not valid, or a newer Evenbench wrote it. */
export async function readGalleryEntry(folder: string): Promise<GalleryEntry> {
  return readRecord(folder, {
    name: ENTRY_FILE,
    schema: galleryEntrySchema,
    version: GALLERY_ENTRY_SCHEMA_VERSION,
    what: "gallery entry",
    ifMissing: `Give a gallery that \`${EVENBENCH} site\` made.`,
    ifInvalid: `Restore it, or make the gallery again from the results with \`${EVENBENCH} site\`.`,
  });
}
