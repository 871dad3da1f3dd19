import { expect, test } from "vitest";
import { analysed, analysedWithCpu, type CpuOf } from "../../test/synthetic.ts";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import { changesOf } from "./changes.ts";
import { makeFacts } from "./make-facts.ts";

const { cases, run } = analysed({ rounds: 20 });

/** Gives the case in which cloudflare takes longer and vercel as long as node. */
function trig(changed: Partial<AnalysedCase>): AnalysedCase {
  const report = cases.find(({ manifest }) => manifest.id === "trig");
  if (report === undefined) {
    throw new Error("The synthetic run has no such case.");
  }
  return { ...report, ...changed };
}

/** Names the main changes of time that have a flag. */
const flagged = (report: AnalysedCase) =>
  changesOf(report, { run })
    .filter(({ role, metric }) => role === "main" && metric === "lastByteMs")
    .flatMap(({ target, verdict, flags }) => flags.map((flag) => `${target} ${verdict}: ${flag}`));

test("drift stands at the target that moved against the baseline, and not where both moved alike", () => {
  const drift = (target: string, change: number) => ({ target, change });
  const moved = [
    drift("node", 0.3),
    drift("node~copy", 0.3),
    drift("cloudflare", 0.3),
    drift("vercel", 0.02),
  ];
  expect(flagged(trig({ drifts: moved }))).toEqual(["vercel same: drifted"]);
  expect(flagged(trig({ drifts: moved.map(({ target }) => drift(target, -0.2)) }))).toEqual([]);
});

test("where answers differ and were compared all the same, every verdict of that case has a flag", () => {
  const event = { atMs: 0, caseId: "trig", target: null, trial: null, detail: "They differ." } as const;
  const data = analysed({ rounds: 20, events: [{ ...event, kind: "work-unproven" }] });
  const { changes } = makeFacts(data, []).facts;
  const unproven = changes.filter(({ flags }) => flags.includes("unproven"));
  expect(new Set(unproven.map((change) => change.case))).toEqual(new Set(["trig"]));
  expect(unproven).toHaveLength(changes.filter((each) => each.case === "trig" && each.low !== null).length);
});

test("the client's waiting stands at a 'same' that CPU time does not say, and at a difference beside half a request", () => {
  const late = (delayMs: number) => {
    const at = { target: null, place: null, numbers: { delayMs, requestMs: 30 } };
    return { audit: [{ ...at, kind: "client-late", detail: "" } as const] };
  };
  expect(flagged(trig(late(10)))).toEqual(["vercel same: client-waited"]);
  expect(flagged(trig(late(20)))).toEqual(["cloudflare slower: client-waited", "vercel same: client-waited"]);
  const cpuTime = trig({}).lastByte;
  expect(flagged(trig({ ...late(10), cpuTime: cpuTime && { ...cpuTime, metric: "cpuMs" } }))).toEqual([]);
});

const flagsIn = (data: AnalysedRun, caseId: string, metric: string) => {
  const { facts } = makeFacts(data, []);
  const main = facts.changes.filter(({ role }) => role === "main");
  const own = main.filter((change) => change.case === caseId && change.metric === metric);
  return own.map(({ verdict, why, flags }) => ({ verdict, why, isMarked: flags.includes("copy-differs") }));
};

test("where a copy differs in time, the verdicts of its case have a flag, and those of others none", () => {
  const data = analysedWithCpu({ rounds: 20 }, undefined, (sample) => {
    const isSlower = sample.caseId === "trig" && sample.target === "node~copy" && sample.lastByteMs !== null;
    return isSlower ? { ...sample, lastByteMs: 1.3 * (sample.lastByteMs ?? 0) } : sample;
  });
  expect(flagsIn(data, "trig", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([true, true]);
  expect(flagsIn(data, "empty", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([false, false]);
});

test("where a copy differs in CPU time alone, CPU time decides nothing there", () => {
  const ofTrig = { node: 30, "node~copy": 40 } as Readonly<Record<string, number>>;
  const cpu: CpuOf = ({ caseId, target, startedAtMs }) => {
    const level = caseId === "trig" ? (ofTrig[target] ?? 90) : 30;
    return level * (1 + 0.01 * Math.sin(startedAtMs));
  };
  const data = analysedWithCpu({ rounds: 60, seed: 3 }, cpu);
  const withheld = { verdict: "none", why: "copy-differs", isMarked: false };
  expect(flagsIn(data, "trig", "cpuMs")).toEqual([withheld, withheld]);
  expect(flagsIn(data, "trig", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([false, false]);
});
