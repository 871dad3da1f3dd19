import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMarkOf } from "@evenbench/host";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import { registerRun } from "./machine.ts";
import type { ToldEvent } from "./options.ts";
import type { Ended, RecordShell } from "./recorder.ts";
import { type MeasuringSession, measure } from "./session.ts";

let scratch: string;
folderOfEachTest((path) => {
  scratch = path;
  // Others on this machine are none of these tests' concern.
  vi.stubEnv("XDG_CACHE_HOME", path);
});

interface Counts extends RecordShell {
  readonly counts: readonly number[];
  readonly lines: number;
}
type CountingSession = MeasuringSession<Counts, { readonly count: number }>;

function count(work: (session: CountingSession) => Promise<Ended>, events: ToldEvent[] = []) {
  return measure<Counts, { readonly count: number }>(
    {
      place: { id: "counted", folder: join(scratch, "counted") },
      serverCores: "all",
      services: [],
      workers: 1,
      exchangeTimeoutMs: 1000,
      openFiles: { connections: 1, processes: 0 },
      file: "counts.json",
      ofSamples: ({ count: lines }) => ({ lines }),
      firstEntry: (shell) => ({ ...shell, counts: [], lines: 0 }),
      onEvent: (event) => events.push(event),
    },
    work,
  );
}

const written = (): Counts => JSON.parse(readFileSync(join(scratch, "counted/counts.json"), "utf8"));
const marks = () => readdirSync(join(scratch, "evenbench", "measuring"));

test("the end of a log is told, and no record has it: it may have a secret", async () => {
  const told: ToldEvent[] = [];
  await count(async ({ recorder }) => {
    recorder.event("target-dropped", "node died.", { target: "node", quotes: ["  | a secret"] });
    return "complete";
  }, told);
  expect(told).toMatchObject([{ detail: "node died.", quotes: ["  | a secret"] }]);
  expect(written().events).toMatchObject([{ detail: "node died.", target: "node" }]);
  expect(JSON.stringify(written())).not.toContain("a secret");
});

test("a measurement is written from its first entry to its end, and marked meanwhile", async () => {
  const { record, folder } = await count(async ({ recorder }) => {
    const { machine } = recorder.record;
    expect(written()).toMatchObject({ id: "counted", status: "running", finishedAt: null, machine });
    expect(marks()).toEqual([String(process.pid)]);
    recorder.add("counts", 1);
    recorder.add("counts", 2);
    recorder.sample({ count: 2 });
    return "complete";
  });
  expect(written()).toEqual(record);
  expect(record).toMatchObject({ status: "complete", counts: [1, 2], lines: 1, events: [] });
  expect(record.finishedAt).not.toBeNull();
  expect(readFileSync(join(folder, "samples.ndjson"), "utf8")).toBe('{"count":2}\n');
  expect(marks()).toEqual([]);
});

test("an interruption is an event, told as it happens", async () => {
  const events: ToldEvent[] = [];
  const { record } = await count(async () => "interrupted", events);
  expect(record.status).toBe("interrupted");
  expect(events).toEqual(record.events.map((event) => ({ ...event, quotes: [] })));
  expect(events.map(({ kind }) => kind)).toEqual(["interrupted"]);
});

test.each([false, true])("what fails is thrown on and recorded; folder gone: %s", async (isFolderGone) => {
  const attempt = count(async ({ recorder }) => {
    recorder.add("counts", 7);
    if (isFolderGone) {
      rmSync(recorder.folder, { recursive: true });
    }
    throw new Error("no more counting");
  });
  // A second failure does not hide it.
  await expect(attempt).rejects.toThrow("no more counting");
  if (isFolderGone) {
    expect(existsSync(join(scratch, "counted"))).toBe(false);
  } else {
    expect(written()).toMatchObject({ status: "failed", counts: [7] });
  }
  expect(marks()).toEqual([]);
});

test("a measurement that cannot be written to its end is not called complete", async () => {
  const attempt = count(async ({ recorder }) => {
    rmSync(recorder.folder, { recursive: true });
    return "complete";
  });
  await expect(attempt).rejects.toThrow(/deleted or replaced/);
});

test("what ended well says so, also where its last entry is written at the second try only", async () => {
  const attempt = count(async (session) => {
    vi.spyOn(session.recorder, "end").mockRejectedValueOnce(new Error("the disk is full"));
    return "complete";
  });
  await expect(attempt).rejects.toThrow("the disk is full");
  expect(written().status).toBe("complete");
});

test("a folder that cannot be made is said with what to do", async () => {
  writeFileSync(join(scratch, "counted"), "");
  await expect(count(async () => "complete")).rejects.toThrow(
    /counted cannot be written \(EEXIST\)\. .*--out/,
  );
});

test("a wall clock that is set back during a measurement moves no end, and is an event", async () => {
  const wall = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => wall() + stepMs);
  let stepMs = 0;
  const { record } = await count(async ({ reportOthers }) => {
    stepMs = -3_600_000;
    reportOthers();
    return "complete";
  });
  expect(Date.parse(record.finishedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(record.startedAt));
  expect(record.events).toMatchObject([
    {
      kind: "clock-stepped",
      detail: expect.stringContaining("was set back by 60 min while it was measured."),
    },
  ]);
});

test("a mark whose pid another process has by now is of a process that was killed", () => {
  using claimed = registerRun();
  const mark = join(scratch, "evenbench", "measuring", String(process.ppid));
  const start = startMarkOf(process.ppid);
  if (start === null) {
    return;
  }
  writeFileSync(mark, String(Number(start) - 1));
  expect(claimed.newOthers()).toEqual([]);
  expect(existsSync(mark)).toBe(false);
  writeFileSync(mark, start);
  expect(claimed.newOthers()).toEqual([expect.stringContaining(`pid ${process.ppid}`)]);
});

test("what the process may use of its machine is a part of its facts", () => {
  using claimed = registerRun();
  const { cores, limits } = claimed.machine;
  expect(limits?.usableCores).toBeGreaterThan(0);
  expect(limits?.usableCores).toBeLessThanOrEqual(cores);
});

test("another process that measures is told once in each measurement, and one that was killed in none", async () => {
  using claimed = registerRun();
  expect(claimed.newOthers()).toEqual([]);
  const markOf = (pid: number) => join(scratch, "evenbench", "measuring", String(pid));
  // The second is more than any system gives.
  for (const pid of [process.ppid, 4194306]) {
    writeFileSync(markOf(pid), "");
  }
  expect(claimed.newOthers()).toEqual([expect.stringContaining(`pid ${process.ppid}`)]);
  expect(claimed.newOthers()).toEqual([]);
  const { record } = await count(async () => "complete");
  expect(record.events).toMatchObject([
    { kind: "other-run-active", detail: expect.stringContaining(`pid ${process.ppid}`) },
  ]);
  expect(marks().sort()).toEqual([process.pid, process.ppid].map(String).sort());
});
