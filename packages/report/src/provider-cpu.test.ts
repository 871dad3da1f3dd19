import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  joinAccounts,
  type Run,
  requestId,
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

/** No local account of cloudflare, but the platform's of nearly all of its requests to one case. */
function deployedRun(): { run: Run; samples: SampleTable } {
  const local = syntheticRun({ rounds: ROUNDS });
  const targets = local.plan.targets.map((target) =>
    target.name === "cloudflare" ? { ...target, place: "url" as const, url: "https://x.example" } : target,
  );
  const usage = local.usage.filter(({ target }) => target !== "cloudflare");
  const run = { ...local, usage, plan: { ...local.plan, targets } };
  return { run, samples: SampleTable.from(syntheticSamples(run, { rounds: ROUNDS })) };
}

/** A gap of four in the second trial, and each fifth of the others. */
const isMissing = ({ trial, roundIndex }: SampleKey) =>
  trial === 1 ? roundIndex >= 4 && roundIndex < 8 : roundIndex % 5 === 0;

function joined(run: Run, samples: SampleTable) {
  const measured = [...samples.ofCase("trig")].filter(
    ({ target, phase }) => target === "cloudflare" && phase === "measure",
  );
  const keys = new Map(
    measured.map((sample): [string, SampleKey] => {
      const { caseId, target, trial, phase, roundIndex } = sample;
      return [requestId(run.id, sample), { caseId, target, trial, phase, roundIndex }];
    }),
  );
  // Of the shape that Cloudflare documents for tail events: whole milliseconds.
  const accounts = measured
    .filter((sample) => !isMissing(sample))
    .map((sample, n) => ({ requestId: requestId(run.id, sample), cpuMs: 11 + (n % 3), wallMs: 31 }));
  return joinAccounts("cloudflare", keys, accounts);
}

test("a target's CPU time by its platform has an interval, its join rate and its longest gap, in every form", () => {
  const { run, samples } = deployedRun();
  const data = analyseRun(run, samples, { accounts: joined(run, samples).accounts });
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const [cloudflare, ...others] = trig?.providerCpu ?? [];
  expect(others).toEqual([]);
  const covered = { exchanges: ROUNDS * TRIALS, joined: TRIALS * 16 };
  const accountant = "Cloudflare's workerd's account";
  expect(cloudflare).toMatchObject({ ...covered, accountant, longestGap: 4, leastShare: 0.8 });
  expect(cloudflare?.msPerRequest).toBeCloseTo(12, 1);
  expect(cloudflare?.interval?.low).toBeLessThan(12);
  expect(cloudflare?.interval?.high).toBeGreaterThan(12);
  expect(cloudflare?.interval?.high).toBeLessThan(13);
  expect(data.cases[0]?.providerCpu).toEqual([]);

  const html = renderHtml(data).replaceAll("&#39;", "'");
  for (const part of ["80 of 100 (80 %)", `cloudflare: ${accountant}`]) expect(html).toContain(part);

  const summary = summarySchema.parse(summaryOf(data));
  const rows = summary.rows.filter(({ caseId, headline }) => caseId === "trig" && headline);
  expect(rows.find(({ target }) => target === "cloudflare")?.providerCpu).toMatchObject({
    ...covered,
    msPerRequest: cloudflare?.msPerRequest,
    lowMs: cloudflare?.interval?.low,
    highMs: cloudflare?.interval?.high,
  });
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
