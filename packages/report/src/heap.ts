import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Size of the heap from which on it is collected, in bytes: reports of usual runs have about 50 MB. */
const LARGE_HEAP_BYTES = 100e6;

/** V8's collector; null until it is needed. */
let collector: (() => void) | null = null;

/**
 * Collects the heap where it is large. It is for the places between steps that leave much behind which nobody needs:
 * V8 by itself lets a heap grow to four times of what lives in it, which is 600 MB of lists of a run of ten million
 * samples.
 */
export function collectLargeHeap(): void {
  if (getHeapStatistics().used_heap_size < LARGE_HEAP_BYTES) {
    return;
  }
  if (collector === null) {
    // Contexts that are made after the flag was set have the collector as a function.
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as () => void;
  }
  collector();
}
