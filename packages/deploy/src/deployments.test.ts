import { expect, test, vi } from "vitest";
import { chooseToken } from "./deployments.ts";
import { describeCosts } from "./planned-deployment.ts";

const OWN = "a".repeat(64);
const OTHER = "b".repeat(64);

test.each([
  ["where none is given, the kept one is used", undefined, OTHER, 3, { token: OTHER, kept: OTHER }],
  [
    "where none is given or kept, one is made",
    undefined,
    null,
    0,
    { token: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ],
  ["what stays deployed keeps a token that is given", OWN, null, 1, { token: OWN, kept: null }],
  ["what stays deployed keeps a token that is given again", OWN, OWN, 1, { token: OWN, kept: OWN }],
  ["where all is deployed anew the old one is not kept", OWN, OTHER, 0, { token: OWN, kept: null }],
] as const)("%s", (_what, given, token, staying, chosen) => {
  vi.stubEnv("EVENBENCH_TOKEN", given);
  expect(chooseToken({ token }, staying)).toMatchObject(chosen);
});

test.each([
  [undefined, null, /Set EVENBENCH_TOKEN to the same one/],
  [OWN, OTHER, /EVENBENCH_TOKEN is another\. Unset/],
])("what stays deployed keeps its token: another one is refused", (given, token, message) => {
  vi.stubEnv("EVENBENCH_TOKEN", given);
  expect(() => chooseToken({ token }, 1)).toThrow(message);
});

test("what a run costs is said before anything is sent: its time, its requests, a price or that there is none", async () => {
  const target = { app: { cases: async () => Array(7).fill({}) }, platform: { title: "Mine" } };
  const said = (await describeCosts([target])).join("\n");
  expect(said).toContain("preflight asks each for its 7 cases twice");
  expect(said).toMatch(/a run sends [1-9][\d,]+ requests to all platforms together/);
  expect(said).toContain("Mine has no price of CPU time here");
});
