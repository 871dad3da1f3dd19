import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joinAccounts, requestId, type SampleKey, writeProviderCpu } from "@evenbench/results";
import { expect, test } from "vitest";
import { syntheticRun, syntheticSamples, writeSyntheticRun } from "../test/synthetic.ts";
import { analyseRun } from "./analyse-run.ts";
import { summaryOf } from "./export/summary.ts";
import { createReport, renderHtml } from "./index.ts";

const ROUNDS = 20;
const run = syntheticRun({});
const samples = [...syntheticSamples(run, { rounds: ROUNDS })];

const isMissing = ({ roundIndex }: SampleKey) => roundIndex % 5 === 0;

/** The platform's account of nearly all requests to one case: of the shape that Cloudflare documents, whole milliseconds. */
function accounted() {
  const measured = samples.filter(
    ({ caseId, target, phase }) => caseId === "trig" && target === "cloudflare" && phase === "measure",
  );
  const accounts = measured
    .filter((key) => !isMissing(key))
    .map((key, n) => ({ requestId: requestId(run.id, key), cpuMs: 11 + (n % 3), wallMs: 31 }));
  return joinAccounts(run.id, measured, accounts);
}

test("a target's CPU time by its platform has an interval, and its join rate, in every form", () => {
  const data = analyseRun(run, samples, [], accounted());
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const [cloudflare, ...others] = trig?.providerCpu ?? [];
  expect([others, data.cases[0]?.providerCpu]).toEqual([[], []]);
  const covered = { exchanges: ROUNDS * 5, joined: 5 * 16 };
  const accountant = "Cloudflare's workerd's account";
  expect(cloudflare).toMatchObject({ ...covered, accountant });
  expect(cloudflare?.msPerRequest).toBeCloseTo(12, 1);
  const { low = 0, high = 0 } = cloudflare?.interval ?? {};
  expect([low < 12, high > 12, high < 13]).toEqual([true, true, true]);

  const html = renderHtml(data).replaceAll("&#39;", "'");
  for (const part of ["80 of 100 (80 %)", `cloudflare: ${accountant}`]) expect(html).toContain(part);
  const rows = summaryOf(data).rows.filter(({ caseId, headline }) => caseId === "trig" && headline);
  const told = { ...covered, msPerRequest: cloudflare?.msPerRequest, interval: cloudflare?.interval };
  expect(rows.find(({ target }) => target === "cloudflare")?.providerCpu).toMatchObject(told);
  expect(rows.find(({ target }) => target === "node")?.providerCpu).toBeNull();
});

test("accounts are read from the run's folder up to a damage, which is said", async () => {
  const directory = await mkdtemp(join(tmpdir(), "evenbench-report-"));
  try {
    const folder = await writeSyntheticRun(directory, { rounds: ROUNDS });
    await writeProviderCpu(folder, accounted());
    await appendFile(join(folder, "provider-cpu.ndjson"), '{"caseId":"tr');
    const { data, htmlFile } = await createReport(folder, { width: 100, color: false });
    expect(await readFile(htmlFile, "utf8")).toContain("80 of 100 (80 %)");
    expect(data.warnings[0]?.details[0]).toMatch(/provider-cpu\.ndjson is damaged: line 81 is cut off/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
