import { SampleTable } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysedApps, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { analyseRun, renderHtml } from "./index.ts";
import { versionsOf } from "./names.ts";

const PLATFORM_MARKS: Readonly<Record<string, string>> = { node: "c0", cloudflare: "c1", vercel: "c2" };

/** The names that a page marks with a colour, each with its class, in the order of the page. */
function marksIn(page: string): readonly (readonly [name: string, mark: string])[] {
  const marks = page.matchAll(/<span class="target (c\d)(?: copy)?">([^<]*)<\/span>/g);
  return [...new Map([...marks].map(([, mark = "", name = ""]) => [name, mark]))];
}

test("the page of a run marks each platform with its colour, and in the one order, whatever the plan's", () => {
  const full = syntheticRun({});
  const targets = full.plan.targets.toReversed();
  const run = { ...full, plan: { ...full.plan, targets } };
  const page = renderHtml(analyseRun(run, SampleTable.from(syntheticSamples(run, { rounds: 5 }))));
  const [, table = ""] = page.split('<table role="table" data-sortable');
  expect(marksIn(table).filter(([name]) => name in PLATFORM_MARKS)).toEqual(Object.entries(PLATFORM_MARKS));
});

test("a platform's colour is the same in every app, its A/A copy's too", () => {
  const marks = marksIn(renderHtml(analysedApps(["bundle", "next"], { rounds: 5 })));
  for (const [name, mark] of marks.filter(([name]) => !/^[A-Z]/.test(name))) {
    const platform = name.replace(/^\w+-/, "").replace("~copy", "");
    expect([name, mark]).toEqual([name, PLATFORM_MARKS[platform]]);
  }
});

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
