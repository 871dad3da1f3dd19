import type { GalleryEntry } from "@evenbench/results";

/** A run of a gallery. */
export interface GalleryRun {
  readonly entry: GalleryEntry;
  /** Whether its report and its picture are there; of an older one only the numbers are. */
  readonly isWhole: boolean;
}
