import type { Run, RunTarget } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { renderMarkdown } from "./markdown.ts";
import { repeatCommand, shortCommand } from "./repeat.ts";

const target = (name: string, platform: string, app = "bundle"): RunTarget => ({
  name,
  app,
  platform,
  place: "local",
  url: null,
  copyOf: null,
});
const deployed = (name: string, platform: string): RunTarget => ({
  ...target(name, platform),
  place: "url",
  url: `https://${name}.example`,
});
const usual = [target("cloudflare", "cloudflare"), target("node", "node"), target("vercel", "vercel")];
const commandOf = (...targets: RunTarget[]) =>
  shortCommand({
    plan: { cases: [{ id: "trig" }], targets, usualPlatforms: ["cloudflare", "node", "vercel"] },
  } as unknown as Run);

test("a short command leaves the targets out where a run has the same ones by itself", () => {
  expect(commandOf(...usual)).toBe("npm run bench -- --case trig");
  const next = ["cloudflare", "node", "vercel"].map((platform) =>
    target(`next-${platform}`, platform, "next"),
  );
  expect(commandOf(...usual, ...next)).toBe("npm run bench -- --case trig");
});

test("it names deployed targets, and those of an app that has not all of its own", () => {
  const there = usual.map(({ name, platform }) => deployed(`deployed-${name}`, platform ?? ""));
  expect(commandOf(...there)).toContain("deployed-cloudflare");
  const some = [target("node", "node"), target("next-cloudflare", "cloudflare", "next")];
  expect(commandOf(...some, target("next-vercel", "vercel", "next"))).toContain("next-vercel");
});

test("Markdown has the command as it is, and a setting that was allowed is no option of its own", () => {
  const data = analysed({ rounds: 5 });
  const plan = { ...data.run.plan, allowedPins: ["--config=evil.ts", "a`b`"] };
  const run = { ...data.run, plan };
  expect(repeatCommand(run)).toContain(" --allow=--config=evil.ts --allow 'a`b`'");
  expect(renderMarkdown({ ...data, run })).toContain(repeatCommand(run));
});
