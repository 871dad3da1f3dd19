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
  ["hands its requests on to another process", watched(10, 950), [watched(900, 20)], true],
  ["hands them on, beside one that does so, too", watched(10, 950), [watched(15, 930)], false],
  ["hands them on, and is alone", watched(10, 950), [], true],
  ["works itself", watched(900, 50), [watched(10, 950)], false],
  ["works itself, but for one request that hung", [...watched(900, 50), HUNG], [watched(900, 20)], false],
  ["did not answer but to a request that hung", [HUNG], [watched(900, 20)], false],
  ["waits, on a quiet machine", watched(10, 20), [watched(900, 20)], false],
  ["waits, on a machine that is busy all the time", watched(10, 950), [watched(900, 900)], false],
  [
    "waits, on a machine that is busy at times",
    [...watched(10, 950).slice(6), ...watched(10, 20).slice(4)],
    [watched(900, 20)],
    false,
  ],
  ["waits for a core that others have", watched(150, 950, 820), [watched(900, 20)], false],
  ["hands its requests on, and waits for a core", watched(10, 950, 300), [watched(900, 20)], true],
  ["has half of its work done elsewhere", watched(450, 500), [watched(900, 20)], false],
  ["took too little time to say", watched(10, 950).slice(8), [], false],
])("a target that %s: its work is others'", (_, own, rest, isElsewhere) => {
  expect(worksElsewhere(own, rest)).toBe(isElsewhere);
});

test.each([
  ["in its time", { cpuMs: 40, timeMs: 41 }, false],
  ["with two threads for a part of it", { cpuMs: 60, timeMs: 41 }, false],
  ["behind its answer", { cpuMs: 41, timeMs: 1.2 }, true],
  ["in less time than can be told", { cpuMs: 0.5, timeMs: 0.1 }, false],
])("a target that works %s", (_, request, isBehind) => {
  expect(worksBehind(request)).toBe(isBehind);
});
