import { OWN_SERVER_APP } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LoadSample, readLoad } from "@evenbench/results";
import { ownServerCase, ownServerUrl } from "@evenbench/runner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startCountingServer } from "../test/k6/index.ts";
import { runLoad } from "./run-load.ts";

const folder = testFolder();
// Others on this machine are none of these tests' concern.
beforeEach(() => void vi.stubEnv("XDG_CACHE_HOME", folder));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Longer waits are those for a load's end. */
const LONGEST_OTHER_MS = 30_000;

test("a load ends once its time is over: what is under way is waited for, and what was not measured is named", async () => {
  const end = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
    ms > LONGEST_OTHER_MS ? end.signal : timeout(ms),
  );
  let windows = 0;
  await using server = await startCountingServer({
    // The time is over with a request of the second window under way.
    answer() {
      if (windows === 2) {
        end.abort();
      }
      return false;
    },
  });
  const request = { method: "GET", headers: {}, body: null };
  const target = { ...ownServerUrl("one", server.origin, request), instances: 1, workers: 1 };
  const paths = ["/first", "/second"].map((path) => {
    return ownServerCase({ path, name: null }, [], { ...request, headers: [] }, []);
  });
  const ended = await runLoad({
    targets: [target],
    cases: { [OWN_SERVER_APP]: paths.map((manifest) => ({ ...manifest, warmAfter: { one: 3 } })) },
    goal: { kind: "sweep", loads: [2, 3].map((connections) => ({ kind: "closed", connections })) },
    trials: 2,
    timeMs: 1000,
    seed: 5,
    out: folder,
    serverCores: "all",
    onWindow: () => {
      windows += 1;
    },
  });
  const samples: LoadSample[] = [];
  const { run, damage } = await readLoad(ended.folder, (sample) => samples.push(sample));
  expect(damage).toBeNull();
  expect(run.status).toBe("failed");
  expect(run.stages.map((stage) => stage.ended)).toEqual([null, "the load's time was over"]);
  expect(samples.filter(({ error }) => error !== null)).toEqual([]);
  for (const [index, { sent }] of run.stages.entries()) {
    expect(samples.filter(({ stage }) => stage === index)).toHaveLength(sent);
  }
  const [said, ...others] = run.events.filter(({ kind }) => kind === "load-ended");
  expect(said).toMatchObject({ target: "one", detail: expect.stringContaining("waited for one (loading)") });
  expect(said?.detail).toContain("first (0 of 2 trials), second (0 of 2 trials)");
  expect(others).toEqual([]);
});
