import { execFileSync } from "node:child_process";
import { shellWord } from "@evenbench/core/shell";
import { repeatCommand, shortCommand, suggestedCommands } from "@evenbench/report";
import type { Run, RunPlan } from "@evenbench/results";
import { runPlanOf } from "@evenbench/runner";
import { expect, test } from "vitest";
import { runOptions } from "../test/evenbench.ts";
import { whatToMeasure } from "./commands/run.ts";
import { createProgram } from "./main.ts";

/** Makes the costs of cases in preflight, which are others each day: a plan must not hang on them. */
const costsOf = (day: number, ids: readonly string[]) =>
  Object.fromEntries(
    ids.map((id, index) => [
      id,
      { roundMs: 3 + day * index, startMs: 200, warmUpMs: 50 * day, searchMs: 300 },
    ]),
  );

async function planned(words: readonly string[], day: number): Promise<RunPlan> {
  const measurement = await whatToMeasure({ ...(await runOptions(words)), build: false });
  const ids = Object.values(measurement.cases).flatMap((cases) => cases.map(({ id }) => id));
  return runPlanOf(measurement, costsOf(day, ids));
}

function wordsOf(command: string): string[] {
  const rest = command.replace("npm run bench -- ", "");
  return execFileSync("sh", ["-c", `printf '%s\\0' ${rest}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

test.each([
  ["of one app and a time for all cases together", ["--app", "bundle", "--total", "90s"]],
  ["of one time for all", ["--case", "empty,react-ssr", "--time", "20.5s", "--rounds", "7", "--cold", "2"]],
  ["of all apps", ["--total", "20m"]],
  ["without a time", ["--case", "math"]],
  ["of a smoke test", ["--suite", "all", "--quick"]],
  [
    "of chosen cores, workers and trials",
    ["-c", "math", "--server-cores", "apart", "--trials", "7", "--workers", "2"],
  ],
  ["of a baseline of one app", ["--app", "next", "--baseline", "next-vercel", "--precision", "0.7%"]],
  ["of a baseline of several apps", ["--baseline", "cloudflare", "--precision", "0.0123"]],
  ["of URLs of one app beside local targets", ["-a", "next", "-t", "next-node,my-one=http://[::1]:8080"]],
  [
    "of servers of one's own",
    ["-t", "a=http://[::1]:80,b=https://b.test", "--path", "/a?b=c&d", "--time", "9s"],
  ],
  [
    "of commands, and of all that they are asked with",
    [
      "-t",
      "a=cmd: node 'it is'.js --x=1,2",
      "-t",
      "b=cmd: b",
      "--path",
      "/",
      "--path",
      "/p,q",
      "--baseline",
      "b",
      "--mask",
      "at \\d{1,3}",
      "--header",
      "Accept: a/b, c/d",
      "--method",
      "put",
      "--header",
      "authorization: Bearer secret",
      "--body",
      import.meta.filename,
      "--same-work",
      "assumed",
      "--trials",
      "2",
    ],
  ],
  ["of URLs of the bundle, with pins that may differ", ["-t", "a=https://a.test", "--allow", "it's $x"]],
])("a report's command gives the same plan again, %s", async (_, words) => {
  const plan = await planned(words, 1);
  const again = await planned(wordsOf(repeatCommand({ plan } as Run)), 5);
  const inAll = ({ caseLimitMs, ...rest }: RunPlan) => ({
    ...rest,
    totalMs: Object.values(caseLimitMs).reduce((total, ms) => total + ms, 0),
  });
  expect(inAll(again)).toEqual(inAll(plan));
});

test("the short command of a smoke test is one, and no other is", async () => {
  const shortOf = async (words: readonly string[]) => shortCommand({ plan: await planned(words, 1) } as Run);
  expect(await shortOf(["--quick", "--case", "math"])).toMatch(/^npm run bench -- --case math .*--quick$/);
  expect(await shortOf(["--quick", "--case", "math", "--rounds", "9"])).toMatch(/ --quick --rounds 9$/);
  expect(await shortOf(["--case", "math", "--warm-up", "3"])).not.toContain("--quick");
});

const OWN = ["-t", "a=cmd: node a.js", "-t", "b=http://[::1]:80", "--path", "/x"];
const CASE = ["--case", "math"];

/**
 * Values of `run`'s options that are no defaults, and what a command that measures the same again has of
 * them.
 */
const KEPT: Readonly<Record<string, readonly [words: readonly string[], kept: string]>> = {
  "--case": [CASE, "--case math"],
  "--suite": [["--suite", "all"], "--case "],
  "--app": [["--app", "next"], "--case "],
  "--target": [["--target", "vercel,cloudflare", ...CASE], "--target cloudflare --target vercel"],
  "--quick": [["--quick", ...CASE], "--quick"],
  "--time": [["--time", "20s", ...CASE], "--time 20s"],
  // In equal parts it is a time for each case.
  "--total": [["--total", "90s", "--case", "math,trig"], "--time 45s"],
  "--rounds": [["--rounds", "7", ...CASE], "--rounds 7"],
  "--precision": [["--precision", "2%", ...CASE], "--precision 0.02"],
  "--baseline": [["--baseline", "vercel", ...CASE], "--baseline vercel"],
  "--server-cores": [["--server-cores", "apart", ...CASE], "--server-cores apart"],
  "--trials": [["--trials", "7", ...CASE], "--trials 7"],
  "--warm-up": [["--warm-up", "9", ...CASE], "--warm-up 9"],
  "--workers": [["--workers", "2", ...CASE], "--workers 2"],
  "--node": [["--node", "24.21.0", ...CASE], "--node 24.21.0"],
  "--cold": [["--cold", "5", ...CASE], "--cold 5"],
  "--allow": [["--allow", "nodeEnv.runtime", ...CASE], "--allow nodeEnv.runtime"],
  "--cpu": [["-t", "a=https://a.test", "--cpu", "provider", ...CASE], "--cpu provider"],
  "--path": [OWN, "--path /x"],
  "--mask": [[...OWN, "--mask", "id-[0-9]+"], "--mask 'id-[0-9]+'"],
  "--same-work": [[...OWN, "--same-work", "json"], "--same-work json"],
  "--header": [[...OWN, "--header", "accept-language: de"], "--header 'accept-language: de'"],
  "--method": [[...OWN, "--method", "PUT"], "--method PUT"],
  "--body": [[...OWN, "--body", import.meta.filename], `--body ${shellWord(import.meta.filename)}`],
};

/** Options that no suggested command has, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "--env-file": "the variables are the user's, and no record has them",
  "--sweep": "A load of its own behind the run, which changes none of its results.",
  "--seed": "Another order is another sample; the command that repeats a run exactly has it.",
  "--where": "Deployed targets are named with their URLs.",
  "--deployments": "Deployed targets are named with their URLs.",
  "--token-for": "It lets a secret out, so whoever has it decides again.",
  "--no-build": "It changes no measurement.",
  "--out": "It changes no measurement.",
  "--quiet": "It changes no measurement.",
  "--json": "It changes no measurement.",
};

test("each option of run is kept in suggested commands, or it is said why not", async () => {
  const run = (await createProgram()).commands.find((command) => command.name() === "run");
  const options = run?.options.flatMap(({ long }) => long ?? []) ?? [];
  expect([...Object.keys(KEPT), ...Object.keys(LEFT_OUT)].sort()).toEqual(options.sort());
});

test.each(Object.entries(KEPT))("%s is kept in suggested commands", async (_, [words, kept]) => {
  const run = { plan: await planned(words, 1) } as Run;
  expect(shortCommand(run)).toContain(kept);
  expect(repeatCommand(run)).toContain(kept);
});

/** The intervals of a comparison without one. */
const NO_INTERVAL = { ratio: null, freedom: null };

/** Options that an advice is about, and so may change. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  unclear: ["--trials", "--time", "--total", "--quick"],
  "not warm": ["--time", "--total", "--warm-up", "--quick"],
};

/** Nothing is known of how long a trial takes. */
const NO_TIME = { measuringMs: 0, warmUpMs: 0, trials: [] };

test.each(
  Object.entries(KEPT).flatMap(([option, [words, kept]]) =>
    Object.entries(CHANGED).flatMap(([verdict, changed]) =>
      changed.includes(option) ? [] : [{ option, verdict, words, kept }],
    ),
  ),
)("what mends $verdict keeps $option", async ({ verdict, words, kept }) => {
  const plan = await planned(words, 1);
  const headline = { comparisons: [{ verdict, byTrial: [], ...NO_INTERVAL }], summaries: [{ trials: 5 }] };
  const cases = plan.cases.map((manifest) => ({ manifest, headline, spent: NO_TIME }));
  const commands = suggestedCommands({ run: { plan, warmUps: [] }, cases } as never);
  expect(commands.length).toBeGreaterThan(0);
  for (const { command } of commands) {
    expect(command).toContain(kept);
  }
});

test("more trials have the time that so many more take, where a time was asked for", async () => {
  const plan = await planned(["--time", "60s", "--case", "math"], 1);
  const headline = {
    comparisons: [{ verdict: "unclear", byTrial: [1, 1, 1], ...NO_INTERVAL }],
    summaries: [{ trials: 5 }],
  };
  const cases = plan.cases.map((manifest) => ({ manifest, headline, spent: NO_TIME }));
  const [mending] = suggestedCommands({ run: { plan, warmUps: [] }, cases } as never);
  expect(mending?.command).toContain("--trials 10 --time 120s");
});

test("a command for repeating has no header that may be a secret", async () => {
  const words = ["-t", "a=http://a.test", "--path", "/", "--header", "cookie: key=secret"];
  const command = repeatCommand({ plan: await planned(words, 1) } as Run);
  expect(command).toContain("--header 'cookie: <value>'");
  expect(command).not.toContain("secret");
});

test.each([
  ["unclear", {}, {}],
  ["not warm", {}, {}],
  ["unclear", { neededMs: { math: 24_000 } }, { math: 24_000 }],
  ["not warm", { neededMs: { math: 24_000 } }, { math: 24_000 }],
] as const)("what mends %s, with %j, is a command that run takes", async (verdict, said, caseLimitMs) => {
  const plan = { ...(await planned(["--case", "math,trig"], 1)), ...said };
  const headline = { comparisons: [{ verdict, ...NO_INTERVAL }], summaries: [{ trials: 10 }] };
  const cases = plan.cases.map((manifest, at) => ({
    manifest,
    headline: at === 0 ? headline : null,
    spent: NO_TIME,
  }));
  const [mending, ...others] = suggestedCommands({ run: { plan, warmUps: [] }, cases } as never);
  expect(others).toEqual([]);
  const again = await planned(wordsOf(mending?.command ?? ""), 1);
  expect(again.cases.map(({ id }) => id)).toEqual(["math"]);
  const isOpen = verdict === "unclear" && !("neededMs" in said);
  expect(again.trials.maximum).toBe(isOpen ? 20 : plan.trials.maximum);
  expect(again.caseLimitMs).toMatchObject(caseLimitMs);
});

test("what own servers need is not saved: more time mends what is not warm", async () => {
  const plan = await planned(["-t", "a=http://[::1]:80,b=http://b.test", "--path", "/", "--time", "20s"], 1);
  const headline = { comparisons: [{ verdict: "not warm", ...NO_INTERVAL }], summaries: [{ trials: 5 }] };
  const cases = plan.cases.map((manifest) => ({ manifest, headline, spent: NO_TIME }));
  const [mending] = suggestedCommands({ run: { plan, warmUps: [] }, cases } as never);
  expect(mending?.reason).not.toMatch(/saved|case/);
  const again = await planned(wordsOf(mending?.command ?? ""), 1);
  expect(Object.values(again.caseLimitMs)).toEqual([40_000]);
});
