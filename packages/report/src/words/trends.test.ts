import { expect, test } from "vitest";
import { testTrend } from "../../test/synthetic.ts";
import type { TargetFacts } from "../facts/facts.ts";
import { requestsToLimit, trendWords, verdictWords } from "./trends.ts";

const GROWS = testTrend({ target: "worker", estimate: 40_000, low: 39_000, high: 41_000 });
const FLAT = testTrend({ target: "worker", estimate: 10, low: -90, high: 110, verdict: "flat" });

/** A target with a limit on memory, or without. */
function worker(limits: TargetFacts["limits"]): TargetFacts {
  return { name: "worker", limits } as TargetFacts;
}

test("growth is written with its ends, flatness with its bound, and a missing one with its reason", () => {
  expect(trendWords(GROWS)).toContain("40.0 KB");
  expect(trendWords(FLAT)).toContain("500 B");
  expect(verdictWords(FLAT)).toContain("−90 B to 110 B");
  expect(trendWords({ ...FLAT, verdict: "unclear" })).toContain("−90 B");
  const none = { estimate: null, low: null, high: null, verdict: "none", why: "not-measured" } as const;
  expect(trendWords({ ...GROWS, ...none })).toBe("not measured");
});

test("the limit is reached by what grows, and by nothing else", () => {
  const limited = worker([{ metric: "heapBytes", value: 128e6, source: "https://example.com" }]);
  expect(requestsToLimit(limited, [GROWS, FLAT], 8e6)).toBe("3,000 more requests to 128 MB");
  expect(requestsToLimit(limited, [GROWS], 130e6)).toBe("above 128 MB");
  expect(requestsToLimit(limited, [FLAT], 8e6)).toBe("–");
  expect(requestsToLimit(worker([]), [GROWS], 8e6)).toBe("–");
});
