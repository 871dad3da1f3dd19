import { expect, test } from "vitest";
import { recordBurnAndChurn } from "../test/recorded.ts";
import { parseCpuProfile } from "./cpu-profile.ts";

test("what node:inspector gives is a profile, and stays one through a file", async () => {
  const profile = await recordBurnAndChurn(50);
  expect(parseCpuProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
});

test("a profile that DevTools could not open is refused, with the reason", async () => {
  const profile = await recordBurnAndChurn(50);
  expect(() => parseCpuProfile({ ...profile, nodes: "none" })).toThrow(/nodes/);
  expect(() => parseCpuProfile({ ...profile, samples: [...profile.samples.slice(1), 1e9] })).toThrow(
    "a node 1000000000 that it lacks",
  );
  expect(() => parseCpuProfile({ ...profile, timeDeltas: profile.timeDeltas.slice(1) })).toThrow(
    "one time for each sample",
  );
  expect(() => parseCpuProfile(undefined)).toThrow("No CPU profile");
});
