import type { LocalTarget } from "@evenbench/runner";
import { afterEach, expect, test, vi } from "vitest";
import { chooseToken } from "./deployments.ts";
import { describeCosts } from "./planned-deployment.ts";

const OWN = "a".repeat(64);
const OTHER = "b".repeat(64);
/** As where EVENBENCH_TOKEN is so. */
function chosen(given: string | undefined, token: string | null, staying: number) {
  vi.stubEnv("EVENBENCH_TOKEN", given);
  return chooseToken({ token }, staying);
}
afterEach(() => {
  vi.unstubAllEnvs();
});

test("a token that is given is used and not kept; else the kept one is used; else one is made and kept", () => {
  expect(chosen(OWN, null, 0)).toEqual({ token: OWN, kept: null });
  expect(chosen(undefined, OTHER, 3)).toEqual({ token: OTHER, kept: OTHER });
  const made = chosen(undefined, null, 0);
  expect(made.token).toMatch(/^[0-9a-f]{64}$/);
  expect(made.kept).toBe(made.token);
});

test("what stays deployed keeps its token: another one is refused, given or made", () => {
  expect(() => chosen(undefined, null, 1)).toThrow(/Set EVENBENCH_TOKEN to the same one/);
  expect(() => chosen(OWN, OTHER, 1)).toThrow(/EVENBENCH_TOKEN is another\. Unset/);
  expect(chosen(OWN, OWN, 1)).toEqual({ token: OWN, kept: OWN });
  expect(chosen(OWN, null, 1)).toEqual({ token: OWN, kept: null });
});

test("where all is deployed anew the token may change, and the old one is not kept", () => {
  expect(chosen(OWN, OTHER, 0)).toEqual({ token: OWN, kept: null });
});

test("what a run costs is said before anything is sent: its time, its requests, a price or that there is none", async () => {
  const app = { id: "bundle", cases: async () => Array.from({ length: 7 }, () => ({})) };
  const target = { app, platform: { id: "mine", title: "Mine" } } as unknown as LocalTarget;
  const said = (await describeCosts([target])).join("\n");
  expect(said).toContain("preflight asks each for its 7 cases twice");
  expect(said).toContain("a run sends 18,200 requests to all platforms together");
  expect(said).toContain("Mine has no price of CPU time here");
});
