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

test("a load ends once its time is over: what was measured is kept, and what was not is named", async () => {
  const end = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
    ms > LONGEST_OTHER_MS ? end.signal : timeout(ms),
  );
  let windows = 0;
  await using server = await startCountingServer({
    // From the second window on it answers nothing.
    answer() {
      if (windows < 2) {
        return false;
      }
      setImmediate(() => end.abort(new DOMException("", "TimeoutError")));
      return true;
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
  const failedIn = (stage: number) => samples.filter((each) => each.stage === stage && each.error !== null);
  expect(failedIn(0)).toEqual([]);
  expect(failedIn(1).length).toBeGreaterThan(0);
  expect(new Set(failedIn(1).map(({ error }) => error?.kind))).toEqual(new Set(["timeout"]));
  const [said, ...others] = run.events.filter(({ kind }) => kind === "load-ended");
  expect(said?.detail).toContain("first (0 of 2 trials), second (0 of 2 trials)");
  expect(others).toEqual([]);
});
