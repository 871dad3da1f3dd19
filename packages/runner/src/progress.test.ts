import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Progress } from "./options.ts";
import { progressReporter } from "./progress.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

test("what is left is never less than the trials take that come in any case", () => {
  const seen: (number | null)[] = [];
  const progress = progressReporter(({ etaMs }: Progress) => seen.push(etaMs), ["a", "b"]);
  let trialsLeftMs = 6000;
  progress.plan({ a: 5000, b: 5000 }, () => trialsLeftMs);
  progress.startCase("a");
  const showAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    progress.show({ phase: "measure", caseId: "a", trial: 0, trials: 10, roundIndex: 0 });
  };
  showAfter(1000);
  // Trials take longer than was expected.
  trialsLeftMs = 20_000;
  showAfter(1000);
  trialsLeftMs = 0;
  showAfter(1000);
  showAfter(20_000);
  expect(seen).toEqual([9000, 18_000, 7000, 0]);
});
