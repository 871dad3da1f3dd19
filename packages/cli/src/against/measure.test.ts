import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { ownServerCommand } from "@evenbench/runner";
import { expect, test } from "vitest";
import { pairUp } from "./measure.ts";

const request = { method: "GET", headers: {}, body: null, masks: [] };
const served = { command: "node a.js", folder: import.meta.dirname, readyPath: "/", readyWithinMs: 1000 };
const target = ownServerCommand("node", { ...served, ...request }, request);

test.each([
  ["that both states have alike", repositoryRoot, "equal-builds"],
  ["that the earlier state has not", join(repositoryRoot, "nowhere"), "one-state-only"],
] as const)("a build %s is not measured, with its reason", async (_, base, code) => {
  const { changed, absent } = await pairUp([target], {}, base);
  expect(changed).toEqual([]);
  expect(absent).toMatchObject([{ name: "node", code }]);
});
