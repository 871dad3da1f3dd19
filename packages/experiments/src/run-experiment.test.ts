import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { compareSides } from "./compare.ts";
import { type Bench, type Experiment, OWN_METHOD } from "./define.ts";
import { loadSides } from "./load-sides.ts";
import { runExperiment } from "./run-experiment.ts";

vi.mock("./compare.ts");
vi.mock("./load-sides.ts");
const folder = mkdtempSync(join(tmpdir(), "evenbench-shares-"));
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("least trials that take longer than their share leave each later comparison, and loads, theirs", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const shares: number[] = [];
  vi.mocked(compareSides).mockImplementation(async ({ id, caseId }, _, time) => {
    const timeMs = "timeMs" in time ? time.timeMs : time.totalMs;
    shares.push(timeMs);
    vi.advanceTimersByTime(id === "first" ? 5000 : timeMs);
    return { id, caseId, sides: [], unmeasured: [], contrasts: [], control: null, trials: 3, events: [] };
  });
  vi.mocked(loadSides).mockImplementation(async (_, __, timeMs) => {
    shares.push(timeMs);
    return { stages: [], tables: [], notes: [] };
  });
  const plan = (id: string) => ({ id, caseId: "case", sides: [], weight: 1 });
  const experiment: Experiment = {
    ...{ id: "test", title: "", claim: "", source: OWN_METHOD, published: "", timeS: 8 },
    comparisons: [plan("first"), plan("second")],
    loads: ["one", "two"].map((id) => ({ id, caseId: "case", sides: [], loads: [], trialMs: 1 })),
    decide: () => ({ verdict: "reproduced", reason: "", figures: [], tables: [] }),
  };
  const bench = { folder, signal: new AbortController().signal, identities: [] };
  const { verdict } = await runExperiment(experiment, bench as unknown as Bench, { ms: 8000, isGiven: true });
  expect([verdict, ...shares]).toEqual(["reproduced", 2000, 2000, 2000, 2000]);
});
