import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  joinAccounts,
  type Run,
  requestId,
  type Sample,
  type SampleKey,
  SampleTable,
  summarySchema,
  writeProviderCpu,
} from "@evenbench/results";
import { expect, test } from "vitest";
import { syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import { analyseRun } from "./analyse-run.ts";
import { renderCsv, summaryOf } from "./export/summary.ts";
import { createReport, renderHtml } from "./index.ts";

const ROUNDS = 20;
const TRIALS = 5;

/**
 * Of the shape that Cloudflare documents for tail events: whole milliseconds. The values are of these tests'
 * making.
 */
const documentedEvent = (n: number) => ({ cpuTime: 11 + (n % 3), wallTime: 31 });

/**
 * Whether a request of cloudflare's has no account: a gap of four in the second trial, and each fifth of the
 * others.
 */
function isMissing({ trial, roundIndex }: SampleKey): boolean {
  return trial === 1 ? roundIndex >= 4 && roundIndex < 8 : roundIndex % 5 === 0;
}

/**
 * A run whose cloudflare target is a deployed one: no local account, but the platform's of nearly all of its
 * requests.
 */
function deployedRun(): { run: Run; samples: SampleTable } {
  const local = syntheticRun({ rounds: ROUNDS });
  const targets = local.plan.targets.map((target) =>
    target.name === "cloudflare" ? { ...target, place: "url" as const, url: "https://x.example" } : target,
  );
  const usage = local.usage.filter(({ target }) => target !== "cloudflare");
  const run = { ...local, usage, plan: { ...local.plan, targets } };
  return { run, samples: SampleTable.from(syntheticSamples(run, { rounds: ROUNDS })) };
}

function joined(run: Run, samples: SampleTable) {
  const isMeasured = ({ target, phase }: Sample) => target === "cloudflare" && phase === "measure";
  const measured = [...samples.ofCase("trig")].filter(isMeasured);
  const keys = new Map(
    measured.map((sample): [string, SampleKey] => [requestId(run.id, sample), keyOf(sample)]),
  );
  const accounts = measured
    .filter((sample) => !isMissing(sample))
    .map((sample, n) => {
      const { cpuTime, wallTime } = documentedEvent(n);
      return { requestId: requestId(run.id, sample), cpuMs: cpuTime, wallMs: wallTime };
    });
  return joinAccounts("cloudflare", keys, accounts);
}

const keyOf = ({ caseId, target, trial, phase, roundIndex }: Sample): SampleKey => ({
  caseId,
  target,
  trial,
  phase,
  roundIndex,
});

function analysed() {
  const { run, samples } = deployedRun();
  return analyseRun(run, samples, { accounts: joined(run, samples).accounts });
}

test("a target's CPU time by its platform has an interval, its join rate and its longest gap", () => {
  const [trig] = analysed().cases.filter(({ manifest }) => manifest.id === "trig");
  const [cloudflare, ...others] = trig?.providerCpu ?? [];
  expect(others).toEqual([]);
  expect(cloudflare).toMatchObject({
    target: "cloudflare",
    accountant: expect.stringContaining("workerd's account"),
    exchanges: ROUNDS * TRIALS,
    joined: TRIALS * 16,
    longestGap: 4,
    leastShare: 0.8,
  });
  expect(cloudflare?.msPerRequest).toBeCloseTo(12, 1);
  expect(cloudflare?.interval?.low).toBeLessThan(12);
  expect(cloudflare?.interval?.high).toBeGreaterThan(12);
  expect(cloudflare?.interval?.high).toBeLessThan(13);
  expect(analysed().cases[0]?.providerCpu).toEqual([]);
});

test("the platform's account stands where there is no local one, in both reports", () => {
  const data = analysed();
  const html = renderHtml(data);
  for (const part of ["80 of 100 (80 %)", "cloudflare: Cloudflare&#39;s workerd&#39;s account"])
    expect(html).toContain(part);
});

test("summary.json and the CSV have the platform's account with its interval and what it covers", () => {
  const summary = summarySchema.parse(summaryOf(analysed()));
  const rows = summary.rows.filter(({ caseId, headline }) => caseId === "trig" && headline);
  const account = rows.find(({ target }) => target === "cloudflare")?.providerCpu;
  expect(account).toMatchObject({ exchanges: ROUNDS * TRIALS, joined: TRIALS * 16 });
  expect(account?.msPerRequest).toBeCloseTo(12, 1);
  expect(account?.lowMs).toBeLessThan(12);
  expect(account?.highMs).toBeGreaterThan(12);
  expect(rows.find(({ target }) => target === "node")?.providerCpu).toBeNull();
  const [head, ...lines] = renderCsv(summary).split("\r\n");
  const cells = lines.find((line) => line.startsWith("trig,cloudflare,"))?.split(",") ?? [];
  expect(cells[head?.split(",").indexOf("provider_cpu_joined") ?? -1]).toBe(String(TRIALS * 16));
});

test("accounts are read from the run's folder up to a damage, which is said", async () => {
  const directory = await mkdtemp(join(tmpdir(), "evenbench-report-"));
  try {
    const folder = await writeSyntheticRun(directory, { rounds: ROUNDS });
    const { run, samples } = deployedRun();
    await writeProviderCpu(folder, [joined(run, samples)]);
    const whole = await createReport(folder, { width: 100, color: false });
    expect(await readFile(whole.htmlFile, "utf8")).toContain("80 of 100 (80 %)");
    expect(whole.data.warnings).toEqual([]);
    await appendFile(join(folder, "provider-cpu.ndjson"), '{"caseId":"tr');
    const cut = await createReport(folder, { width: 100, color: false });
    expect(await readFile(cut.htmlFile, "utf8")).toContain("80 of 100 (80 %)");
    expect(cut.data.warnings[0]?.details[0]).toMatch(/provider-cpu\.ndjson is damaged: line 81 is cut off/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
