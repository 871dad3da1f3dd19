import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Run, Sample } from "@evenbench/results";
import { instancesOf } from "@evenbench/stats";
import { describe, expect, test } from "vitest";
import { fixtureCase, fixtureTarget } from "../test/fixture.ts";
import { eventsOf, readSamples, shortRuns } from "../test/short-run.ts";

const { folder, shortRun } = shortRuns();

/** Preflight's host, the first one, is sound. */
const faultAfterPreflight = (start: number, FAULT: string): Record<string, string> =>
  start > 0 ? { FAULT } : {};

const errorsOf = ({ samples }: { readonly samples: readonly Sample[] }, name: string) =>
  samples.flatMap(({ target, error }) => (target === name && error ? [error.kind] : []));

describe("a fault loses nothing", () => {
  test("of a host that is killed in the middle of a trial: error sample, event, another instance", async () => {
    const node = fixtureTarget("node");
    // Slow enough for progress to be told within a trial.
    const other = fixtureTarget("other", () => ({ WAIT: "40" }));
    let killed = false;
    const result = await shortRun({
      targets: [node, other],
      rounds: 20,
      onProgress({ phase, trial, roundIndex }) {
        if (phase !== "measure" || trial !== 1 || roundIndex < 1 || killed) {
          return;
        }
        killed = true;
        for (const pid of other.hosts.at(-1)?.pids() ?? []) {
          process.kill(pid, "SIGKILL");
        }
      },
    });
    expect(result.run.status).toBe("complete");
    expect(eventsOf(result, "host-restarted")).toMatchObject([
      { target: "other", trial: 1, caseId: "short" },
    ]);
    const failed = result.samples.filter(({ error }) => error !== null);
    expect(failed).toMatchObject([{ target: "other", trial: 1, error: { kind: "connection" } }]);
    const others = result.samples.filter(({ target }) => target === "other");
    const ids = others.flatMap(({ trial, instanceId }) => (trial === 1 ? (instanceId ?? []) : []));
    expect(new Set(ids).size).toBe(2);
    expect(others.filter(({ phase }) => phase === "measure")).toHaveLength(40);
    // Two processes are no instance: that trial is the last one's.
    const [, second] = instancesOf(others, "short", "lastByteMs");
    const instanceIds = new Set(
      others.flatMap(({ trial, instanceId }) => (trial === 1 ? (instanceId ?? []) : [])),
    );
    const killedId = [...instanceIds][0];
    const lastId = [...instanceIds][1];
    const answeredBy = (id: string | undefined) =>
      others.filter(({ phase, instanceId }) => phase === "measure" && instanceId === id).length;
    expect(answeredBy(killedId)).toBeGreaterThan(0);
    expect(second?.rounds.size).toBe(answeredBy(lastId));
    expect(eventsOf(result, "error-budget")).toMatchObject([{ target: "other" }]);
  });

  test.each([
    ["dies", "connection", 2, "died twice"],
    ["truncates", "connection", 3, "connection"],
    ["fails", "status", 3, "status"],
  ])("of one that %s: samples of kind %s, then dropped; others go on", async (FAULT, kind, least, why) => {
    const odd = fixtureTarget("odd", (start) => faultAfterPreflight(start, FAULT));
    const result = await shortRun({ targets: [fixtureTarget("node"), odd] });
    const errors = errorsOf(result, "odd");
    expect(errors.length).toBeGreaterThanOrEqual(least);
    expect(new Set(errors)).toEqual(new Set([kind]));
    expect(eventsOf(result, "target-dropped")).toMatchObject([
      { target: "odd", detail: expect.stringContaining(why) },
    ]);
    expect(result.run.status).toBe("complete");
    const measured = result.samples.filter(({ phase, target }) => phase === "measure" && target === "node");
    expect(measured).toHaveLength(10);
  });

  test("of a target that hangs: it is waited for in one case, and not in the others", async () => {
    const odd = fixtureTarget("odd", (start) => faultAfterPreflight(start, "hangs"));
    const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
    const targets = [fixtureTarget("node"), odd];
    const result = await shortRun({ targets, cases, exchangeTimeoutMs: 2000, timeMs: 500, rounds: 2 });
    expect(errorsOf(result, "odd")).toEqual(["timeout", "timeout", "timeout"]);
    expect(eventsOf(result, "target-dropped")).toMatchObject([
      { target: "odd", caseId: "short", detail: expect.stringContaining("timeout") },
      { target: "odd", caseId: "long", detail: expect.stringContaining("waited for in vain in short") },
    ]);
    expect(result.samples.filter(({ target, caseId }) => target === "odd" && caseId === "long")).toEqual([]);
  });

  test("of a baseline that is dropped: its case ends, the next one is measured", async () => {
    // Preflight is start 0; the first case uses up two starts (target and A/A copy).
    const node = fixtureTarget("node", (start) => (start <= 2 ? faultAfterPreflight(start, "fails") : {}));
    const cases = { fixture: [fixtureCase("short"), fixtureCase("long")] };
    const result = await shortRun({ targets: [node, fixtureTarget("other")], cases, rounds: 2 });
    expect(eventsOf(result, "case-failed")).toMatchObject([{ caseId: "short" }]);
    expect(result.run.status).toBe("failed");
    const measured = result.samples.filter(({ phase, caseId }) => phase === "measure" && caseId === "long");
    expect(measured).toHaveLength(2 * 2 * 3);
  });

  test("of a target that is rebuilt during the run: dropped, with both values of the pin", async () => {
    const rebuilt = fixtureTarget("rebuilt", (start) => ({
      PINS: JSON.stringify({ artifact: start < 2 ? "aaaa" : "bbbb" }),
    }));
    const node = fixtureTarget("node", () => ({ PINS: JSON.stringify({ artifact: "aaaa" }) }));
    const result = await shortRun({ targets: [node, rebuilt] });
    expect(eventsOf(result, "target-dropped")[0]?.detail).toMatch(/artifact.*aaaa.*bbbb/);
  });

  test("of an interruption: hosts are gone, what was measured is there", async () => {
    const node = fixtureTarget("node");
    const interruption = new AbortController();
    let writtenMeanwhile = 0;
    const result = await shortRun({
      targets: [node],
      rounds: 1000,
      signal: interruption.signal,
      onProgress: ({ phase, trial, roundIndex }) => {
        if (phase !== "measure" || trial > 0 || roundIndex === 0) {
          return;
        }
        const [runFolder = ""] = readdirSync(folder()).filter((name) => !name.startsWith("."));
        writtenMeanwhile = readSamples(join(folder(), runFolder)).length;
        interruption.abort();
      },
    });
    expect(result.run.status).toBe("interrupted");
    expect(result.run.trialsEnded).toBeUndefined();
    expect(eventsOf(result, "interrupted")).toHaveLength(1);
    expect(writtenMeanwhile).toBeGreaterThan(0);
    expect(result.samples.some(({ phase }) => phase === "measure")).toBe(true);
    expect(result.samples.every(({ error }) => error === null)).toBe(true);
    for (const host of node.hosts) {
      expect(host.pids()).toEqual([]);
    }
  });
});

test("what fails first is told, and not what fails after it, as the report of platforms' CPU times does then", async () => {
  const attempt = shortRun({
    targets: [fixtureTarget("node")],
    cpu: "provider",
    onProgress({ phase }) {
      if (phase !== "measure") {
        return;
      }
      for (const name of readdirSync(folder())) {
        rmSync(join(folder(), name), { recursive: true });
      }
    },
  });
  await expect(attempt).rejects.toThrow(/samples\.ndjson was deleted or replaced/);
});

test("a run is refused when preflight finds targets that differ, with the values and a remedy", async () => {
  const odd = fixtureTarget("odd", () => ({ PINS: JSON.stringify({ artifact: "bbbb" }) }));
  const node = fixtureTarget("node", () => ({ PINS: JSON.stringify({ artifact: "aaaa" }) }));
  await expect(shortRun({ targets: [node, odd] })).rejects.toThrow(/aaaa[\s\S]*bbbb[\s\S]*Remedy/);
  const [runFolder = ""] = readdirSync(folder());
  const entry: Run = JSON.parse(readFileSync(join(folder(), runFolder, "run.json"), "utf8"));
  expect(entry.status).toBe("failed");

  // Of one that answers with an error of its own the log says why.
  const failing = fixtureTarget("failing", () => ({ FAULT: "fails" }));
  await expect(shortRun({ targets: [node, failing] })).rejects.toMatchObject({
    quotes: [expect.stringMatching(/failing\.log is empty/)],
  });

  const allowed = await shortRun({ targets: [node, odd], allow: ["artifact"], rounds: 1 });
  expect(allowed.run.status).toBe("complete");
  expect(eventsOf(allowed, "pin-allowed")[0]?.detail).toContain("bbbb");
});

test("sides are held against their own answers, and one that cannot be measured is left out", async () => {
  const pins = JSON.stringify({ artifact: "bbbb" });
  const odd = fixtureTarget("odd", () => ({ PINS: pins, FAULT: "changes" }));
  const failing = fixtureTarget("failing", () => ({ FAULT: "fails" }));
  const cached = fixtureTarget("cached", () => ({ FAULT: "ages" }));
  const targets = [fixtureTarget("node"), odd, failing, cached];
  const result = await shortRun({ targets, sides: true, rounds: 1 });
  expect(result.run.status).toBe("complete");
  const detail = expect.stringContaining('Case "short" answers HTTP 500 on failing.');
  expect(eventsOf(result, "target-dropped")).toMatchObject([{ target: "failing", detail }]);
  expect(Object.keys(result.expectations.short ?? {})).toEqual(["node", "odd", "cached"]);
});
