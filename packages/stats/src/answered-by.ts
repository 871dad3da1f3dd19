// Who made the answers of a case: only what was computed for a request is compared.
import type { Sample } from "@evenbench/results";

/** Who made an answer: the target for this request, a cache, a file, or the build, which made the page. */
export type AnsweredBy = "computed" | "cache" | "file" | "build";

/** What the manifest of a case says of caches: what was known before, and what preflight found. */
interface KnownOfCaches {
  /** Why its answers come from a cache. */
  readonly cached?: string;
  readonly answeredBy?: Exclude<AnsweredBy, "computed">;
  /** Headers that name a cache are of a part of its body alone. */
  readonly partlyCached?: true;
}

/** The part of a sample that says who made its answer; without a target where all are of one. */
type SaidOfCache = Pick<Sample, "phase" | "error" | "cacheSaid"> & Partial<Pick<Sample, "target">>;

/** Tells who made the answers of a case. @param isFromCache true where its samples say that a cache did. */
export function answeredBy(
  { cached, answeredBy: known = "cache", partlyCached }: KnownOfCaches,
  isFromCache: boolean,
): AnsweredBy {
  if (cached !== undefined) {
    return known;
  }
  return isFromCache && partlyCached !== true ? "cache" : "computed";
}

/** Share of a target's answers up to which a cache moves a mean by no more than counts as the same. */
const MOST_FROM_CACHE = 0.05;

/** Tells whether a cache gave more than 5 of 100 measured answers of a target. @param samples of one case. */
export function isFromCache(samples: readonly SaidOfCache[]): boolean {
  const counts = new Map<string, { all: number; kept: number }>();
  for (const { target = "", phase, error, cacheSaid } of samples) {
    if (phase !== "measure" || error !== null) {
      continue;
    }
    const count = counts.get(target) ?? { all: 0, kept: 0 };
    counts.set(target, count);
    count.all += 1;
    count.kept += cacheSaid === "hit" || cacheSaid === "stale" ? 1 : 0;
  }
  return [...counts.values()].some(({ all, kept }) => kept > all * MOST_FROM_CACHE);
}
