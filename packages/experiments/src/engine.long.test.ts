// The engine with real builds, real runtimes and little time: what it measures is checked for being there,
// never for its size.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { ownFolder } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import type { Facts } from "@evenbench/report";
import { type ExperimentResult, type Outcome, readExperiments, readRun } from "@evenbench/results";
import { listTargets } from "@evenbench/runner";
import { beforeAll, describe, expect, test } from "vitest";
import { small } from "../test/measured.ts";
import type { Experiment } from "./define.ts";
import { createExperimentsPage } from "./page.ts";
import { type ExperimentOptions, runExperiments } from "./run.ts";

const TARGETS = await listTargets();
const out = testFolder();

const undecided: Outcome = { verdict: "unclear", reason: "For a test.", figures: [] };
const shellOf = (id: string): Experiment => ({
  id,
  title: "For a test",
  claim: "Nothing.",
  published: "nothing",
  timeS: 2,
  source: { title: "None", publisher: "nobody", date: null },
  decide: () => undecided,
});
const plain = small("plain", "node");
const longer = small("longer", "node", { parameters: { bytes: 4000 } });

function runThem(experiments: readonly Experiment[], more: Partial<ExperimentOptions> = {}) {
  const { signal } = new AbortController();
  return runExperiments({ experiments, targets: TARGETS, missing: new Map(), out, signal, ...more });
}

describe("a comparison", () => {
  const sides = [
    plain,
    longer,
    small("flagged", "cloudflare", { start: { v8Flags: ["--max-semi-space-size=2"] } }),
    small("misspelt on node", "node", { start: { v8Flags: ["--no-such-flag-of-v8"] } }),
    small("misspelt on workerd", "cloudflare", { start: { v8Flags: ["--no-such-flag-of-v8"] } }),
    small("unknown", "nowhere"),
  ];
  let folder: string;
  let result: ExperimentResult;
  const quoted: string[] = [];
  beforeAll(async () => {
    const comparisons = [{ id: "sizes", caseId: "payload", sides }];
    const done = await runThem([{ ...shellOf("test-comparison"), comparisons }], {
      timeMs: 2000,
      seed: 1,
      onEvent: (_message, quotes = []) => quoted.push(...quotes),
    });
    folder = done.folder;
    result = done.run.results[0] as ExperimentResult;
  });

  test("measures its sides with what each is asked for, and the first one's A/A copy", async () => {
    const facts: Facts = JSON.parse(await readFile(join(folder, "test-comparison/sizes/facts.json"), "utf8"));
    expect(facts.answers.map(({ target, bytes, failed }) => [target, bytes, failed])).toEqual([
      ["plain", 2000, 0],
      ["longer", 4000, 0],
      ["flagged", 2000, 0],
      ["plain~copy", 2000, 0],
    ]);
    expect(facts.answers.filter(({ requests }) => requests === 0)).toEqual([]);
  });

  test("tells what could not be started, in the runtime's own words to whoever measures alone, and goes on", () => {
    const why = new Map(result.comparisons[0]?.unmeasured.map(({ name, why }) => [name, why]));
    expect([...why.keys()]).toEqual(["misspelt on node", "misspelt on workerd", "unknown"]);
    expect(why.get("misspelt on node")).toContain("did not start");
    expect(why.get("misspelt on workerd")).toContain("did not start");
    expect(why.get("unknown")).toContain("nowhere");
    expect(JSON.stringify(result)).not.toContain("no-such-flag-of-v8");
    expect(quoted).toEqual([
      expect.stringContaining("bad option: --no-such-flag-of-v8"),
      expect.stringContaining("no-such-flag-of-v8"),
    ]);
  });

  test("tells what took part", () => {
    expect(result.versions).toMatchObject({ "Node.js": expect.any(String), workerd: expect.any(String) });
  });

  test("leaves a run folder that reports read, a valid experiments.json, and pages", async () => {
    const { run: record, samples } = await readRun(join(folder, "test-comparison/sizes"));
    expect(record).toMatchObject({ id: "sizes", status: "complete" });
    expect(samples.length).toBeGreaterThan(0);
    const html = await readFile(join(folder, "experiments.html"), "utf8");
    expect(html).toContain('href="test-comparison/sizes/report.html"');
    expect(html).toContain("misspelt on node was not measured");
    expect(html).not.toMatch(/<script|src=|href="http/);
    const page = await createExperimentsPage(folder, await readExperiments(folder));
    expect(page.terminal).toContain("test-comparison");
    expect(await readFile(page.htmlFile, "utf8")).toBe(html);
  });
});

test("without its first side a comparison has no result but the reason", async () => {
  const broken = small("broken", "node", { start: { v8Flags: ["--no-such-flag-of-v8"] } });
  const comparisons = [{ id: "none", caseId: "payload", sides: [broken, plain] }];
  const measure: Experiment["measure"] = ({ samplesOf }) => samplesOf("none");
  const decide: Experiment["decide"] = ({ measured }) => ({ ...undecided, reason: JSON.stringify(measured) });
  const { folder, run, partial } = await runThem([{ ...shellOf("test-none"), comparisons, measure, decide }]);
  expect(partial).toEqual(["test-none"]);
  expect(run.results[0]).toMatchObject({
    reason: "[]",
    comparisons: [{ report: null, unmeasured: [{ name: "broken" }] }],
  });
  expect((await readRun(join(folder, "test-none/none"))).run.status).toBe("failed");
});

test("an experiment that fails cannot tell, says why, and the next one goes on", async () => {
  let isMarked = false;
  const failing: Experiment = {
    ...shellOf("test-failing"),
    async measure() {
      // Others are told that this machine is measuring.
      isMarked = readdirSync(ownFolder("measuring")).includes(String(process.pid));
      throw new UserError("There is no memcached here. Install it: apt-get install memcached.");
    },
  };
  const sound: Experiment = {
    ...shellOf("test-sound"),
    comparisons: [{ id: "one", caseId: "payload", sides: [plain] }],
    decide: ({ versions }) => ({ ...undecided, reason: `Node.js ${versions["Node.js"]}` }),
  };
  const { run } = await runThem([failing, sound], { timeMs: 2000, seed: 7 });
  expect(run).toMatchObject({ status: "complete", seed: 7, timeMs: 2000 });
  expect(run.results).toMatchObject([
    { verdict: "unclear", reason: expect.stringContaining("apt-get install memcached") },
    { reason: `Node.js ${process.versions.node}` },
  ]);
  expect(isMarked).toBe(true);
});

test("an interruption keeps what was measured, and starts nothing more", async () => {
  const interruption = new AbortController();
  const comparisons = ["first", "second"].map((id) => ({ id, caseId: "payload", sides: [plain] }));
  const seen: string[] = [];
  const { folder, run } = await runThem(
    ["test-interrupted", "test-never"].map((id) => ({ ...shellOf(id), comparisons })),
    {
      timeMs: 2000,
      signal: interruption.signal,
      onProgress({ phase, caseId }) {
        seen.push(String(caseId));
        if (phase === "measure") {
          interruption.abort();
        }
      },
    },
  );
  expect(run).toMatchObject({
    status: "interrupted",
    unfinished: "test-interrupted",
    results: [{ verdict: "unclear", reason: expect.stringContaining("interrupted") }],
  });
  expect(seen.filter((what) => what.includes("second") || what.includes("never"))).toEqual([]);
  expect(await readExperiments(folder)).toEqual(run);
  expect(await readFile(join(folder, "experiments.html"), "utf8")).toContain("while test-interrupted was");
});
