import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createReport } from "@evenbench/report";
import { faultsOf, inBrowser, launchBrowser, NO_FAULTS, openPage } from "@evenbench/report/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { scratchFolder } from "@evenbench/runner/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeSyntheticLoad } from "../test/synthetic-load.ts";
import { SWEEP_FOLDER, sweepAdditions } from "./sweep-of-run.ts";

const PLAIN = { width: 100, color: false };
/** As the synthetic run has them; the order is not the run's, so that a colour by place would be wrong. */
const NAMES = ["vercel", "node"] as const;

/** The report of a run with a sweep, or without. */
async function reportOf({ withSweep, text = "" }: { withSweep: boolean; text?: string }) {
  await using scratch = await scratchFolder();
  const folder = await writeSyntheticRun(scratch.path, { rounds: 20 });
  const sweep = join(folder, SWEEP_FOLDER);
  if (withSweep) {
    await mkdir(sweep);
    await writeSyntheticLoad(sweep, { of: "concurrency", caseId: "trig", names: NAMES, text });
  }
  const { data, htmlFile, markdown } = await createReport(folder, PLAIN, undefined, sweepAdditions);
  const html = await readFile(htmlFile, "utf8");
  const own = withSweep ? await readFile(join(sweep, "load.html"), "utf8") : null;
  return { data, html, markdown, own };
}

test("a run's report says and draws of each target from where on requests wait, and makes the sweep's own page", async () => {
  const { data, html, markdown, own } = await reportOf({ withSweep: true });
  expect([...data.additions.keys()]).toEqual(["trig"]);
  const findings = data.additions.get("trig")?.findings.map(({ target, sentence }) => [target, sentence]);
  expect(findings).toEqual([
    ["node", expect.stringContaining("requests wait from a concurrency of 8 on")],
    ["vercel", expect.stringContaining("requests wait from a concurrency of 2 on")],
  ]);
  for (const text of [html, markdown]) expect(text).toContain("requests wait from a concurrency of 8 on");
  expect(
    html.match(/aria-label="(Latency|Answers), trig\. [^"]*vercel: 10\.\d ms at concurrency 1/g),
  ).toHaveLength(1);
  expect(own).toContain("Evenbench load synthetic");
});

test("a target has the same colour in the sweep as in the run, and a ring where it begins to queue", async () => {
  const { data, html } = await reportOf({ withSweep: true });
  const colour = (of: string) => data.targets.find(({ name }) => name === of)?.colour;
  const [latency = ""] =
    html.match(/<svg class="plot" role="img" aria-label="Latency, trig.*?<\/svg>/s) ?? [];
  for (const name of NAMES) expect(latency).toContain(`stroke="var(--t${colour(name)})"`);
  expect(latency).not.toContain(`var(--t${colour("cloudflare")})`);
  expect(latency.match(/<circle[^>]* r="6"/g)).toHaveLength(2);
});

describe("the report of a run with a sweep in a browser", inBrowser, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test("fits a phone and passes axe, light and dark", async () => {
    const { html } = await reportOf({ withSweep: true, text: " averyverylongwordwithoutanyspaceinit" });
    for (const scheme of ["light", "dark"] as const) {
      const opened = await openPage(browser, html, 360, scheme);
      expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    }
  });
});
