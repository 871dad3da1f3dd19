import { expect, test } from "vitest";
import { syntheticRun } from "../test/synthetic.ts";
import { versionsOf } from "./names.ts";

type Identity = ReturnType<typeof syntheticRun>["identities"][string];

function identity(
  app: string,
  pins: Identity["pins"],
  facts: Readonly<Record<string, string | null>>,
): Identity {
  const { node } = syntheticRun({}).identities;
  if (node === undefined) throw new Error("no identity");
  return { ...node, app, pins, facts: { ...node.facts, ...facts } };
}

const said = (identities: Readonly<Record<string, Identity>>) =>
  versionsOf({ identities }).map(({ name, version, of }) => `${of}: ${name} ${version}`);

test("runtimes come first, then frameworks, then adapters, each once", () => {
  const artifact = "15e0".repeat(16);
  const node = identity(
    "bundle",
    { artifact, "a.react": "19.3.1", "b.react": "19.3.1" },
    { adapter: "srvx 1.0.8" },
  );
  const worker = identity("bundle", { "a.react": "19.3.1" }, { runtime: "workerd 1.20261117.1" });
  expect(said({ node, worker })).toEqual([
    "runtime: Node.js 24.21.0",
    "runtime: workerd 1.20261117.1",
    "framework: react 19.3.1",
    "adapter: srvx 1.0.8",
  ]);
});

test("what is not told is left out", () => {
  expect(said({ url: identity("bundle", {}, { runtime: null }) })).toEqual([]);
});
