import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Size of the heap from which on it is collected, in bytes: reports of usual runs have about 50 MB. */
const LARGE_HEAP_BYTES = 100e6;
/**
 * The least that the heap has grown by since it was last collected, in bytes: where much of it is still needed, to
 * collect it again at once would free nothing.
 */
const GROWTH_BYTES = 60e6;

/** V8's collector; null until it is needed. */
let collector: (() => void) | null = null;
/** Size of the heap behind the last collection, in bytes; 0 before the first. */
let usedAfterLast = 0;

/**
 * Collects the heap where it is large. It is for the places between steps that leave much behind which nobody needs:
 * V8 by itself lets a heap grow to four times of what lives in it, which is 600 MB of lists of a run of ten million
 * samples.
 */
export function collectLargeHeap(): void {
  if (getHeapStatistics().used_heap_size < Math.max(LARGE_HEAP_BYTES, usedAfterLast + GROWTH_BYTES)) {
    return;
  }
  collector ??= makeCollector();
  collector();
  usedAfterLast = getHeapStatistics().used_heap_size;
}

/** Contexts that are made while the flag is set have the collector as a function. */
function makeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const made = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return made;
}
