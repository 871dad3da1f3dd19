import { expect, test } from "vitest";
import { fixtureApp, fixtureTarget } from "../test/fixture.ts";
import type { LocalTarget, Target } from "./options.ts";
import { ownServerCommand } from "./own-targets.ts";
import { measuredTargetsOf, runTargetOf } from "./targets.ts";

const local = (id: string, platform: string, name: string): LocalTarget => {
  return { ...fixtureTarget(platform), name, app: { ...fixtureApp, id } };
};
const targets: readonly Target[] = [
  local("bundle", "cloudflare", "cloudflare"),
  local("bundle", "node", "node"),
  local("next", "cloudflare", "next-cloudflare"),
  local("next", "node", "next-node"),
  local("other", "cloudflare", "other-cloudflare"),
  { place: "url", name: "mine", app: "bundle", url: "https://mine.example" },
];
test.each([
  ["its own targets, and the A/A copy of the baseline", "bundle", "node", "cloudflare node mine node~copy"],
  ["a URL as its baseline", "bundle", "mine", "cloudflare node mine mine~copy"],
  ["the target on the platform of that name", "next", "node", "next-cloudflare next-node next-node~copy"],
  ["its usual baseline where the name is another's", "bundle", "next-node", "cloudflare node mine node~copy"],
  ["the first where neither is there", "other", "none", "other-cloudflare other-cloudflare~copy"],
  ["nothing where nobody serves it", "absent", "node", ""],
])("an app measures %s", (_, appId, baseline, names) => {
  const measured = measuredTargetsOf(targets, appId, baseline);
  expect(measured.map(({ name }) => name).join(" ")).toBe(names);
  for (const { name, copyOf } of measured) {
    expect(copyOf).toBe(name.endsWith("~copy") ? name.replace("~copy", "") : null);
  }
});

test("run.json has the URL of a target that was given by one, and no address of a local one", () => {
  const [cloudflare, , mine] = measuredTargetsOf(targets, "bundle", "node").map(runTargetOf);
  expect(cloudflare).toMatchObject({ name: "cloudflare", app: "bundle", platform: "cloudflare" });
  expect(cloudflare).toMatchObject({ place: "local", url: null, copyOf: null });
  expect(mine).toMatchObject({ place: "url", url: "https://mine.example", platform: null });
});

test.each([
  [{ B: "secret", A: "1" }, "A B"],
  [{}, "none"],
])("the record of a command that gets %o has the names of its variables: %s", (environment, variables) => {
  const request = { method: "GET", body: null, headers: {} };
  const asked = { ...request, readyPath: "/", readyWithinMs: 1 };
  const command = { ...asked, command: "node a.js", folder: "/", environment };
  const { ownServer } = ownServerCommand("a", command, request);
  expect(ownServer?.facts).toEqual({ command: "node a.js", variables });
});

test("a server that runs already has no copy: its baseline comes first", () => {
  const request = { method: "GET", body: null, headers: {} };
  const ownServer = { facts: { command: null }, request } as never;
  const servers = ["a", "b"].map((name): Target => {
    return { place: "url", name, app: "own-server", url: "http://127.0.0.1:1", ownServer };
  });
  expect(measuredTargetsOf(servers, "own-server", "b").map(({ name }) => name)).toEqual(["b", "a"]);
});
