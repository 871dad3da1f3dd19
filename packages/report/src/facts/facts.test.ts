import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { FACTS_FILE, SAMPLES_FILE, type Sample, SampleTable } from "@evenbench/results";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import {
  analysed,
  analysedWithCpu,
  STEADY_CPU,
  syntheticRun,
  syntheticSamples,
  writeSyntheticRun,
} from "../../test/synthetic.ts";
import { analyseRun } from "../analyse-run.ts";
import { usdOfMillion } from "../words/prices.ts";
import { type Change, type Facts, RULES } from "./facts.ts";
import { makeFacts } from "./make-facts.ts";
import { readFacts } from "./read-facts.ts";
import { factsSchema } from "./schema.ts";

test("docs/schema/facts.schema.json is current (-u writes it)", async () => {
  const json = z.toJSONSchema(factsSchema, { override: ({ jsonSchema }) => delete jsonSchema.readOnly });
  const file = join(import.meta.dirname, "../../../../docs/schema/facts.schema.json");
  await expect(`${JSON.stringify(json, null, 2)}\n`).toMatchFileSnapshot(file);
});

const { facts } = makeFacts(analysed({ rounds: 20 }), []);
const main = (of: Facts): readonly Change[] =>
  of.changes.filter(({ role, metric }) => role === "main" && metric === "lastByteMs");

test("cases stand in the order of the first platform's effect, and the file is one that the schema reads", () => {
  const effects = facts.cases.map(({ id }) => {
    return main(facts).find((change) => change.case === id && change.target === "cloudflare")?.estimate ?? 0;
  });
  expect(effects).toEqual(effects.toSorted((a, b) => a - b));
  expect(factsSchema.parse(JSON.parse(JSON.stringify(facts)))).toEqual(facts);
});

test("each target has a level, an answer and a change beside the baseline's, and the copy has its own role", () => {
  for (const { id } of facts.cases) {
    const changes = facts.changes.filter((change) => change.case === id && change.metric === "lastByteMs");
    expect(changes.map(({ target, role }) => `${target} ${role}`)).toEqual(
      expect.arrayContaining(["cloudflare main", "vercel main", "node~copy copy"]),
    );
    for (const { name } of facts.targets) {
      expect(facts.levels.filter(({ case: of, target }) => of === id && target === name)).not.toEqual([]);
      expect(facts.answers.find(({ case: of, target }) => of === id && target === name)?.from).toBe(
        "computed",
      );
    }
  }
});

test("starts have levels of their parts, and a change; what could not be started says so, and stops no other", () => {
  const start = (target: string, repetition: number, readyMs: number) => ({
    target,
    repetition,
    readyMs: readyMs + repetition,
    controlMs: 50,
    compiledMs: target === "cloudflare" ? 79 + repetition : null,
  });
  const data = analysed({ rounds: 20 }, (run) => ({
    ...run,
    plan: { ...run.plan, startUps: 3 },
    trialsEnded: true,
    startUps: [0, 1, 2].flatMap((index) => [start("node", index, 149), start("cloudflare", index, 99)]),
  }));
  const { facts: started } = makeFacts(data, []);
  const of = (target: string) =>
    started.levels.flatMap(({ case: id, target: name, metric, value, why }) =>
      id === null && name === target ? [[metric, value, why]] : [],
    );
  expect(of("node")).toEqual([["startupCpuMs", 100, null]]);
  expect(of("cloudflare")).toEqual([
    ["startupCpuMs", 50, null],
    ["startupCompileMs", 30, null],
    ["startupRunMs", 20, null],
  ]);
  expect(of("vercel")).toEqual([["startupCpuMs", null, "not-measured"]]);
  const changes = started.changes.filter(({ metric }) => metric === "startupCpuMs");
  expect(changes).toMatchObject([
    { case: null, target: "cloudflare", baseline: "node", verdict: "faster", unit: "ratio" },
  ]);
  expect(factsSchema.parse(JSON.parse(JSON.stringify(started)))).toEqual(started);
});

test.each([
  ["some of its cold starts fail", "cold-start-failed", "react-ssr", true, "caution"],
  ["all of its cold starts fail", "cold-start-failed", "react-ssr", false, "void"],
  ["none of its cold starts is answered", null, "react-ssr", false, "void"],
  ["its start-up fails", "start-up-failed", null, true, "caution"],
] as const)(
  "of a target of which %s a notice says whether it has no result",
  (_, kind, caseId, isMeasured, weight) => {
    const detail = "vercel: it did not start.";
    const data = analysed({ rounds: 20 }, (run) => ({
      ...run,
      plan: { ...run.plan, cases: run.plan.cases.filter(({ id }) => id === "react-ssr") },
      trialsEnded: true,
      events: kind === null ? [] : [{ kind, atMs: 1, caseId, target: "vercel", trial: 1, detail }],
      coldStarts: run.coldStarts.filter(({ target }) => isMeasured || target !== "vercel"),
    }));
    const { facts: found } = makeFacts(data, []);
    const quote = kind === null ? null : detail;
    expect(found.notices.filter(({ code }) => code === "start-failed")).toMatchObject([
      { weight, found: [{ case: caseId, target: "vercel", quote }] },
    ]);
    const level = found.levels.find(({ metric, target }) => metric === "coldStartMs" && target === "vercel");
    expect(level?.why).toBe(isMeasured ? null : "not-measured");
  },
);

test("memory has a trend of each kind, and its level at the end; what could not be read says so", () => {
  const data = analysed({ rounds: 20 }, (run) => ({
    ...run,
    plan: { ...run.plan, memory: true },
    memory: [0, 1, 2, 3, 4].map((block) => ({
      caseId: "empty",
      target: "cloudflare",
      block,
      requests: 100,
      heapBytes: 6_000_000,
      bufferBytes: 4_000_000 * block,
      residentBytes: null,
    })),
    events: [
      {
        kind: "memory-failed",
        atMs: 1,
        caseId: "empty",
        target: "vercel",
        trial: null,
        detail: "no inspector",
      },
    ],
  }));
  const { facts: read } = makeFacts(data, []);
  expect(read.trends).toMatchObject([
    { case: "empty", target: "cloudflare", metric: "heapBytes", verdict: "flat", estimate: 0, why: null },
    { case: "empty", target: "cloudflare", metric: "bufferBytes", verdict: "grows", estimate: 40_000 },
    { case: "empty", target: "vercel", metric: "heapBytes", verdict: "none", why: "not-measured", low: null },
  ]);
  const bytes = read.levels.flatMap(({ metric, value }) => (metric === "bufferBytes" ? [value] : []));
  expect(bytes).toEqual([16_000_000]);
  expect(read.notices[0]).toMatchObject({ code: "memory-failed", weight: "void" });
  expect(factsSchema.parse(JSON.parse(JSON.stringify(read)))).toEqual(read);
});

test("a smoke test has levels and no change", () => {
  const data = analysed({ rounds: 20 }, (run) => ({ ...run, plan: { ...run.plan, quick: true } }));
  const { facts: smoke } = makeFacts(data, []);
  expect(smoke.run.quick).toBe(true);
  expect(smoke.levels).not.toEqual([]);
  expect(smoke.changes).toEqual([]);
});

test.each([
  ["from the beginning", { cached: "A cache." }, 0],
  ["after preflight", {}, 0.1],
])("what a cache answered %s has no verdict and no price, and says who answered", (_, known, share) => {
  const plain = syntheticRun({ rounds: 20 });
  const cases = plain.plan.cases.map((each) => (each.id === "trig" ? { ...each, ...known } : each));
  const samples = Array.from(syntheticSamples(plain, { rounds: 20 }), (sample): Sample => {
    const isHit = sample.caseId === "trig" && sample.target === "vercel" && sample.roundIndex < 20 * share;
    return isHit ? { ...sample, cacheSaid: "hit" } : sample;
  });
  const data = analyseRun({ ...plain, plan: { ...plain.plan, cases } }, SampleTable.from(samples));
  const cached = makeFacts(data, []).facts;
  const ofTrig = cached.changes.filter((change) => change.case === "trig");
  expect(new Set(ofTrig.map(({ verdict, why }) => `${verdict} ${why}`))).toEqual(new Set(["none cached"]));
  expect(cached.answers.find((answer) => answer.case === "trig")?.from).toBe("cache");
  const [target] = cached.targets.map((each) => ({ ...each, usdPerCpuHour: 1, usdPerMillion: 1 }));
  const usdOf = (caseId: string) => target && usdOfMillion(cached, caseId, target).requests;
  expect(cached.cases.map(({ id }) => usdOf(id) ?? null)).toEqual(
    cached.cases.map(({ id }) => (id === "trig" ? null : 1)),
  );
});

test("trials in which all servers of this machine took longer are a notice, with how much; servers elsewhere say nothing of it", () => {
  const data = analysedWithCpu({ rounds: 20 }, STEADY_CPU, (sample) => {
    const isSlow = sample.caseId === "trig" && sample.trial === 3;
    const lastByteMs = sample.lastByteMs && sample.lastByteMs * (isSlow ? 1.6 : 1);
    // Longer times need more room.
    return { ...sample, startedAtMs: 3 * sample.startedAtMs, lastByteMs };
  });
  const { notices } = makeFacts(data, []).facts;
  expect(notices).toMatchObject([{ code: "machine-unsteady", found: [{ case: "trig", target: null }] }]);
  expect(notices[0]?.found[0]?.numbers.longer).toBeCloseTo(0.6, 1);
  const targets = data.run.plan.targets.map((target) => ({ ...target, url: "https://elsewhere.example/" }));
  const elsewhere = { ...data, run: { ...data.run, plan: { ...data.run.plan, targets } } };
  expect(makeFacts(elsewhere, []).facts.notices).toEqual([]);
});

describe("a run's folder", () => {
  const directory = testFolder();
  let folder: string;
  beforeAll(async () => {
    folder = await writeSyntheticRun(directory, { rounds: 20 });
  });

  const write = (changed: unknown) => writeFile(join(folder, FACTS_FILE), JSON.stringify(changed));
  /** Makes another verdict of one decided change. */
  const falsified = (own: Facts, to: Partial<Change>): Facts => {
    const at = own.changes.findIndex(({ verdict }) => verdict === "slower");
    return { ...own, changes: own.changes.map((each, index) => (index === at ? { ...each, ...to } : each)) };
  };
  const codes = (of: Facts) => of.notices.map(({ code }) => code);

  test("says what its samples say, and names a file of facts that says otherwise", async () => {
    const own = (await readFacts(folder)).facts;
    await write(own);
    expect(codes((await readFacts(folder)).facts)).not.toContain("judged-otherwise");
    await write(falsified(own, { verdict: "faster" }));
    const read = (await readFacts(folder)).facts;
    expect(read.changes).toEqual(own.changes);
    expect(codes(read)).toContain("judged-otherwise");
    await write({ ...falsified(own, { verdict: "faster" }), rules: own.rules + 1 });
    expect(codes((await readFacts(folder)).facts)).not.toContain("judged-otherwise");
  });

  test.each<[string, (file: string) => unknown]>([
    ["no JSON", (file) => writeFile(file, "{")],
    ["a folder", (file) => mkdir(file)],
    ["a link", (file) => symlink(import.meta.filename, file)],
    ["a pipe that nobody writes to", (file) => execFileSync("mkfifo", [file])],
  ])("says what its samples say where its file of facts is %s", async (_, put) => {
    const file = join(folder, FACTS_FILE);
    await rm(file, { recursive: true, force: true });
    await put(file);
    expect(codes((await readFacts(folder)).facts)).toContain("judged-otherwise");
    await rm(file, { recursive: true });
  });

  test("without samples has its verdicts judged again by the ends of intervals, or is refused", async () => {
    const own = (await readFacts(folder)).facts;
    await rm(join(folder, SAMPLES_FILE));
    await write(falsified(own, { verdict: "faster" }));
    const read = (await readFacts(folder)).facts;
    expect(read.run.judgedFrom).toBe("ends");
    expect(read.changes).toEqual(own.changes);
    await write(falsified(own, { low: 3, high: 2 }));
    await expect(readFacts(folder)).rejects.toThrow("are in no order");
    await write(falsified(own, { target: "deno" }));
    await expect(readFacts(folder)).rejects.toThrow('"deno"');
    await write({ ...own, run: { ...own.run, id: "another" } });
    await expect(readFacts(folder)).rejects.toThrow('"another"');
  });
});

test.each([
  ["build-failed", {}, "not-built"],
  ["target-dropped", { why: "not-started" }, "not-started"],
  ["target-dropped", { why: "bad-answer" }, "bad-answer"],
  ["target-dropped", {}, "dropped"],
] as const)("a target without a part in a run says why: %s %o", (kind, why, code) => {
  const event = { atMs: 0, kind, caseId: null, target: "vercel", trial: null, detail: "It said so.", ...why };
  const { targets } = makeFacts(analysed({ rounds: 20, events: [event] }), []).facts;
  const absent = targets.map((target) => [target.name, target.absent]);
  expect(Object.fromEntries(absent)).toEqual({
    node: null,
    cloudflare: null,
    vercel: { code, quote: "It said so." },
    "node~copy": null,
  });
});

/** Synthetic runs of several kinds, by which a change of the rules is seen. */
const RULED = {
  plain: { trials: 5, rounds: 40, seed: 1 },
  "a target that takes longer": { trials: 3, rounds: 40, seed: 2, slowerBy: { vercel: 1.04 } },
  "the copy takes longer": { trials: 5, rounds: 40, seed: 3, slowerBy: { "node~copy": 1.3 } },
  "few trials": { trials: 2, rounds: 20, seed: 4 },
  "one trial": { trials: 1, rounds: 20, seed: 5 },
  "requests fail": { trials: 3, rounds: 40, seed: 6, failEvery: 7 },
} as const;

test("the same samples are decided alike as long as RULES stays: whoever changes that raises it, and -u writes the new file", async () => {
  const lines = Object.entries(RULED).flatMap(([name, options]) => {
    const { changes, notices } = makeFacts(analysed(options), []).facts;
    return [
      `# ${name}`,
      ...changes.map(({ case: of, target, baseline, metric, role, verdict, why, flags }) =>
        [of, target, baseline, metric, role, verdict, why ?? "-", ...flags].join(" "),
      ),
      ...notices.map(({ code, weight, found }) => `${weight} ${code} ${found.length}`),
    ];
  });
  const file = join(import.meta.dirname, `../../test/decided-by-rules-${RULES}.txt`);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(file);
});
