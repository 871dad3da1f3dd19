import type { Run, RunTarget } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { caseLinks, expectedMs, repeatCommand, shortCommand, suggestedCommands } from "./repeat.ts";

const data = analysed({ rounds: 5 });
const { run, cases } = data;
/** How long and how often the synthetic run measured: every command keeps it. */
const EXTENT = "--trials 5 --time 45s --cold 3 --precision 0.02";
const first = cases[0] as (typeof cases)[number];
const target = (name: string, platform: string, app = "bundle"): RunTarget => ({
  name,
  app,
  platform,
  place: "local",
  url: null,
  copyOf: null,
});
const names = ["cloudflare", "node", "vercel"];
const usual = names.map((name) => target(name, name));
const commandOf = (...targets: RunTarget[]) => {
  const trig = { ...first.manifest, id: "trig" };
  return shortCommand({ ...run, plan: { ...run.plan, cases: [trig], targets, usualPlatforms: names } });
};

test("a short command leaves the targets out where a run has the same ones by itself, each app all of its own", () => {
  const next = names.map((platform) => target(`next-${platform}`, platform, "next"));
  for (const targets of [usual, [...usual, ...next]]) {
    expect(commandOf(...targets)).toBe(`npm run bench -- --case trig --server-cores apart ${EXTENT}`);
  }
  expect(commandOf(...usual, ...next.slice(1))).toContain("next-vercel");
});

test.each([
  [["math", "trig"], `npm run bench -- ${EXTENT}`],
  [["trig"], `npm run bench -- --case trig ${EXTENT}`],
])("cases are left out where they are those that a run has by itself: %j", (ids, command) => {
  const cases = ids.map((id) => ({ ...first.manifest, id }));
  const caseLimitMs = Object.fromEntries(ids.map((id) => [id, 45_000]));
  const plan: Run["plan"] = {
    ...run.plan,
    serverCores: "all",
    usualCases: ["trig", "math"],
    caseLimitMs,
    cases,
    targets: usual,
  };
  expect(shortCommand({ ...run, plan })).toBe(command);
  expect(repeatCommand({ ...run, plan }).includes("--case")).toBe(command.includes("--case"));
});

test("a time for all cases together is kept as one, where their parts differ", () => {
  const [empty, page] = cases.map(({ manifest }) => manifest.id) as [string, string];
  const plan = {
    ...run.plan,
    cases: run.plan.cases.slice(0, 2),
    caseLimitMs: { [empty]: 30_000, [page]: 60_000 },
  };
  for (const command of [shortCommand({ ...run, plan }), repeatCommand({ ...run, plan })]) {
    expect(command).toContain(" --total 90s ");
  }
});

test("Markdown has the command as it is, and a setting that was allowed is no option of its own", () => {
  const allowedPins = ["--config=evil.ts", "a`b`"];
  const changed = { ...run, plan: { ...run.plan, workers: 2, allowedPins } };
  for (const command of [shortCommand(changed), repeatCommand(changed)]) {
    expect(command).toContain(" --workers 2 --allow=--config=evil.ts --allow 'a`b`'");
  }
  expect(renderMarkdown({ ...data, run: changed })).toContain(repeatCommand(changed));
});

test("a command of two states has the settings that were allowed, but for the build, which differs in any case", () => {
  const states = ["node.base", "node.head"].map((name) => target(name, "node"));
  const allowedPins = ["artifact", "runtime"];
  const plan: Run["plan"] = { ...run.plan, cases: [first.manifest], targets: states, allowedPins };
  expect(shortCommand({ ...run, plan })).toBe(
    "npm run bench -- against <commit> --target node --case empty --allow runtime --time 45s",
  );
});

test("a case is found by its app, at the commit that was measured and with its line where these are known; its command measures it alone", () => {
  const { path, command } = caseLinks(first, run);
  expect(path).toBe("packages/cases/empty/case.ts");
  expect(command).toBe(`npm run bench -- --case empty --server-cores apart ${EXTENT}`);
  const commit = "0123456789".repeat(4);
  const known = { commit, changed: false, repository: "https://github.com/someone/bench" };
  const manifest = { ...first.manifest, source: "packages/cases/x/case.ts#L9" };
  const urlAt = (source: typeof run.source) => caseLinks({ ...first, manifest }, { ...run, source }).url;
  expect(urlAt(known)).toBe(`${known.repository}/blob/${commit}/${manifest.source}`);
  expect(urlAt({ ...known, changed: true })).toBe(null);
  expect(urlAt({ ...known, repository: null })).toBe(null);
});

test("what a longer run buys is said with the advice: its trials, its time, and how narrow intervals would be", () => {
  const [report] = cases;
  const comparison = report?.headline?.comparisons[0];
  if (report?.headline == null || comparison === undefined) {
    throw new Error("The synthetic run compares nothing.");
  }
  const open = {
    ...comparison,
    verdict: "unclear" as const,
    ratio: { estimate: 1, low: 0.88, high: 1 / 0.88 },
    trials: 5,
    freedom: { own: 8, prior: 6 },
  };
  const comparisons = [open, { ...open, ratio: { estimate: 1, low: 0.8, high: 1.25 } }];
  const asked = { ...report, headline: { ...report.headline, comparisons } };
  const [advice] = suggestedCommands({ run, cases: [asked] });
  expect(advice?.reason).toMatch(
    /^Time is unclear in 2 of 2 comparisons \(1 case\): 10 trials \(about .+\) would bring them to within 9 to 16 %, which may not decide them:$/,
  );
  expect(advice?.command).toContain("--trials 10");
  const unknown = { ...report, headline: { ...report.headline, comparisons: [{ ...open, freedom: null }] } };
  const mixed = [open, { ...open, ratio: null, freedom: null }];
  const partly = { ...report, headline: { ...report.headline, comparisons: mixed } };
  expect(suggestedCommands({ run, cases: [partly] })[0]?.reason).toMatch(
    /^Time is unclear in 2 of 2 comparisons .* would bring the one with an interval to within 9 %, which may not decide it:$/,
  );
  const [without] = suggestedCommands({ run, cases: [unknown] });
  expect(without?.reason).toMatch(
    /^Time is unclear in 1 of 1 comparison \(1 case\): 10 trials \(about .+\) may narrow the intervals:$/,
  );
});

test("whether a longer run would decide what is open is said, and twice as many trials are offered where these would", () => {
  const [report] = cases;
  const comparison = report?.headline?.comparisons[0];
  if (report?.headline == null || comparison === undefined) {
    throw new Error("The synthetic run compares nothing.");
  }
  const { headline } = report;
  const adviceOn = (...logs: readonly (readonly [centre: number, halfWidth: number])[]) => {
    const comparisons = logs.map(([centre, halfWidth]) => ({
      ...comparison,
      verdict: "unclear" as const,
      ratio: {
        estimate: Math.exp(centre),
        low: Math.exp(centre - halfWidth),
        high: Math.exp(centre + halfWidth),
      },
      trials: 10,
      freedom: { own: 27, prior: 6 },
    }));
    const summaries = headline.summaries.map((summary) => ({ ...summary, trials: 10 }));
    const asked = { ...report, headline: { ...headline, summaries, comparisons } };
    return suggestedCommands({ run, cases: [asked] })[0];
  };
  // Near 0, and narrow enough for "same" once it has twice as many trials.
  expect(adviceOn([0, 0.06])?.reason).toMatch(/: 20 trials .* to within 4 %, and probably decide it:$/);
  const twice = adviceOn([0.01, 0.08]);
  expect(twice?.reason).toMatch(/: 40 trials .* to within 4 %, and probably decide it:$/);
  expect(twice?.command).toContain("--trials 40");
  expect(adviceOn([0.03, 0.25])?.reason).toMatch(/: 20 trials .*, which may not decide it:$/);
  expect(adviceOn([0, 0.06], [0.03, 0.25])?.reason).toMatch(/, and probably decide 1 of these 2:$/);
});

test("how long a longer run takes is read off the run: its checks, its first trials, its later ones, and its starts", () => {
  const spentOf = (...trials: readonly (readonly [fromMs: number, untilMs: number])[]) => ({
    spent: {
      warmUpMs: 0,
      measuringMs: 0,
      trials: trials.map(([fromMs, untilMs]) => ({ fromMs, untilMs })),
    },
  });
  // Checks of 30 s, trials of 20 and then 10 s, 2 s between them.
  const quick = spentOf([30_000, 50_000], [64_000, 74_000]);
  const other = spentOf([52_000, 62_000], [76_000, 86_000]);
  expect(expectedMs([quick, other], [quick], 5)).toBe(30_000 + 20_000 + 4 * 10_000 + 5 * 2000);
  expect(expectedMs([quick, other], [quick, other], 2)).toBe(86_000 + 2000);
  expect(expectedMs([quick], [quick], 2)).toBeGreaterThan(74_000);
  expect(expectedMs([], [], 5)).toBe(0);
});
