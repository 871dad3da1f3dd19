import type { Run, RunTarget } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { renderMarkdown } from "./markdown.ts";
import { caseLinks, repeatCommand, shortCommand } from "./repeat.ts";

const target = (name: string, platform: string, app = "bundle"): RunTarget => ({
  ...{ name, app, platform, place: "local", url: null, copyOf: null },
});
const names = ["cloudflare", "node", "vercel"];
const usual = names.map((name) => target(name, name));
const commandOf = (...targets: RunTarget[]) =>
  shortCommand({ plan: { cases: [{ id: "trig" }], targets, usualPlatforms: names } } as unknown as Run);

test("a short command leaves the targets out where a run has the same ones by itself, each app all of its own", () => {
  const next = names.map((platform) => target(`next-${platform}`, platform, "next"));
  for (const targets of [usual, [...usual, ...next]])
    expect(commandOf(...targets)).toBe("npm run bench -- --case trig");
  expect(commandOf(...usual, ...next.slice(1))).toContain("next-vercel");
});

test.each([
  [["math", "trig"], "npm run bench"],
  [["trig"], "npm run bench -- --case trig"],
])("cases are left out where they are those that a run has by itself: %j", (ids, command) => {
  const cases = ids.map((id) => ({ id }));
  const plan = { ...run.plan, usualCases: ["trig", "math"], cases, targets: usual };
  expect(shortCommand({ plan } as unknown as Run)).toBe(command);
  expect(repeatCommand({ plan } as unknown as Run).includes("--case")).toBe(command.includes("--case"));
});

test("Markdown has the command as it is, and a setting that was allowed is no option of its own", () => {
  const data = analysed({ rounds: 5 });
  const plan = { ...data.run.plan, allowedPins: ["--config=evil.ts", "a`b`"] };
  const run = { ...data.run, plan };
  expect(repeatCommand(run)).toContain(" --allow=--config=evil.ts --allow 'a`b`'");
  expect(renderMarkdown({ ...data, run })).toContain(repeatCommand(run));
});

const { run, cases } = analysed({ rounds: 5 });
const first = cases[0] as (typeof cases)[number];

test("a case is found by its app, at the commit that was measured and with its line where these are known; its command measures it alone", () => {
  const { path, command } = caseLinks(first, run);
  expect([path, command]).toEqual(["packages/cases/empty/case.ts", "npm run bench -- --case empty"]);
  const repository = "https://github.com/someone/bench";
  const commit = "0123456789012345678901234567890123456789";
  const manifest = { ...first.manifest, source: "packages/cases/x/case.ts#L9" };
  const urlAt = (source: typeof run.source) => caseLinks({ ...first, manifest }, { ...run, source }).url;
  expect(urlAt({ commit, changed: false, repository })).toBe(
    `${repository}/blob/${commit}/${manifest.source}`,
  );
  expect(urlAt({ commit, changed: true, repository })).toBe(null);
  expect(urlAt({ commit, changed: false, repository: null })).toBe(null);
});
