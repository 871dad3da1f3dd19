import { expect, test } from "vitest";
import { worksBehind, worksElsewhere } from "./cpu-watch.ts";

/** Makes slices of a second of exchanges, in each of which is the same part of all. */
const watched = (cpuMs: number, othersMs: number, waitedMs = 0) =>
  Array.from({ length: 10 }, () => ({
    wallMs: 100,
    cpuMs: cpuMs / 10,
    waitedMs: waitedMs / 10,
    othersMs: othersMs / 10,
  }));
const HUNG = { wallMs: 30_000, cpuMs: 20, waitedMs: 0, othersMs: 20_000 };

test.each([
  ["hands its requests on to another process", watched(10, 950), 0.02, true],
  ["hands them on, beside neighbours", watched(10, 1450), 0.5, true],
  ["works itself", watched(900, 50), 0.02, false],
  ["works itself, but for one request that hung", [...watched(900, 50), HUNG], 0.02, false],
  ["did not answer but to a request that hung", [HUNG], 0.02, false],
  ["waits, on a quiet machine", watched(10, 20), 0.02, false],
  ["waits, on a machine that is busy all the time", watched(10, 950), 0.9, false],
  [
    "waits, on a machine that is busy at times",
    [...watched(10, 950).slice(6), ...watched(10, 20).slice(4)],
    0.02,
    false,
  ],
  ["waits for a core that others have", watched(150, 950, 820), 0.02, false],
  ["hands its requests on, and waits for a core", watched(10, 950, 300), 0.02, true],
  ["has half of its work done elsewhere", watched(450, 500), 0.02, false],
  ["took too little time to say", watched(10, 950).slice(8), 0, false],
])("a target that %s: its work is others'", (_, own, background, isElsewhere) => {
  expect(worksElsewhere(own, background)).toBe(isElsewhere);
});

test.each([
  ["in its time", { cpuMs: 40, timeMs: 41 }, false],
  ["with two threads for a part of it", { cpuMs: 60, timeMs: 41 }, false],
  ["behind its answer", { cpuMs: 41, timeMs: 1.2 }, true],
  ["in less time than can be told", { cpuMs: 0.5, timeMs: 0.1 }, false],
])("a target that works %s", (_, request, isBehind) => {
  expect(worksBehind(request)).toBe(isBehind);
});
