import type { SelfTime } from "@evenbench/results";
import { beforeAll, expect, test } from "vitest";
import { isIn, recordBurnAndChurn } from "../test/recorded.ts";
import type { Attribution } from "./attribution.ts";
import type { CpuProfile } from "./inspector.ts";
import { selfTime } from "./self-time.ts";

let profile: CpuProfile;
let result: SelfTime;
beforeAll(async () => {
  profile = await recordBurnAndChurn();
  result = selfTime(profile, BURN_AND_CHURN);
});

const rowOf = (name: string) => result.rows.find((row) => row.name === name);

test("every sample is in one row, and the shares of what is not idle add up to 1", () => {
  expect(result.samples).toBe(profile.samples.length);
  expect(result.rows.reduce((sum, { samples }) => sum + samples, 0)).toBe(result.samples);
  expect(result.rows.reduce((sum, { share }) => sum + (share ?? 0), 0)).toBeCloseTo(1, 10);
  expect(result.busySamples).toBeLessThanOrEqual(result.samples);
});

test("code and collector are told apart", () => {
  expect(rowOf("burn")?.samples).toBeGreaterThan(0);
  expect(rowOf("churn")?.samples).toBeGreaterThan(0);
  const collector = rowOf("garbage collector");
  expect(collector).toMatchObject({ kind: "collector" });
  expect(result.collectorShare).toBe(collector?.share);
  expect(result.collectorShare).toBeGreaterThan(0);
  expect(result.unattributedShare).toBe(0);
});

test("rows and functions come largest first", () => {
  for (const list of [result.rows.filter(({ share }) => share !== null), result.functions]) {
    const samples = list.map((one) => one.samples);
    expect(samples).toEqual(samples.toSorted((a, b) => b - a));
  }
  expect(result.functions.find(({ functionName }) => functionName === "burn")).toMatchObject({
    owner: "burn",
    place: expect.stringMatching(/^burn\.ts:\d+:\d+$/),
  });
});

test("idle samples are no part of the shares", () => {
  const idle = { id: 1e6, callFrame: frameNamed("(idle)") };
  const samples = [...profile.samples, ...Array.from({ length: 1000 }, () => idle.id)];
  const waiting = selfTime({ ...profile, nodes: [...profile.nodes, idle], samples }, BURN_AND_CHURN);
  expect(waiting.busySamples).toBe(result.busySamples);
  expect(waiting.collectorShare).toBe(result.collectorShare);
  expect(waiting.rows.at(-1)).toMatchObject({ kind: "idle", share: null });
});

test("a function that is named like a part of every object is a function", () => {
  const odd = { id: 1e6, callFrame: frameNamed("constructor") };
  const samples = profile.samples.map(() => odd.id);
  const { rows } = selfTime({ ...profile, nodes: [...profile.nodes, odd], samples }, BURN_AND_CHURN);
  expect(rows).toEqual([{ kind: "runtime", name: "others", samples: samples.length, share: 1 }]);
});

test("a profile without samples has no shares", () => {
  const empty = selfTime({ ...profile, samples: [], timeDeltas: [] }, BURN_AND_CHURN);
  expect(empty).toMatchObject({ samples: 0, busySamples: 0, rows: [], functions: [], collectorShare: 0 });
});

function frameNamed(functionName: string) {
  return { functionName, scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 };
}

/** Tells the two files of a recorded profile apart; everything else is the runtime's. */
const BURN_AND_CHURN: Attribution = {
  ownerOf: (frame) => {
    if (isIn(frame, "burn.ts")) return { kind: "case", name: "burn" };
    if (isIn(frame, "churn.ts")) return { kind: "package", name: "churn" };
    return { kind: "runtime", name: "others" };
  },
  fileOf: (url) => url.slice(url.lastIndexOf("/") + 1),
};
