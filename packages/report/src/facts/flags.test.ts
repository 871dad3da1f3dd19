import { expect, test } from "vitest";
import { analysed } from "../../test/synthetic.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import { changesOf } from "./changes.ts";

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
