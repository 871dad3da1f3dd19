import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { createReport } from "@evenbench/report";
import { faultsOf, inBrowser, NO_FAULTS, openPage, openPrinted } from "@evenbench/report/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { describe, expect, test } from "vitest";
import { writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { SWEEP_FOLDER } from "../options.ts";
import { createLoadReport, sweepAdditions } from "./create-report.ts";

const results = testFolder();
/** Targets of the synthetic run. Their order is not the run's, so that a colour by place would be wrong. */
const NAMES = ["vercel", "node"] as const;

test("a run's report says and draws of each target from where on requests wait, in the run's colours", async () => {
  const folder = await writeSyntheticRun(results, { rounds: 20 });
  const sweep = join(folder, SWEEP_FOLDER);
  await mkdir(sweep);
  await writeSyntheticLoad(sweep, { levels: "concurrency", caseId: "trig", names: NAMES });
  const report = await createReport(folder, { width: 100, color: false }, { additionsOf: sweepAdditions });
  const { data } = report;
  const html = await readFile(report.htmlFile, "utf8");
  expect([...data.additions.keys()]).toEqual(["trig"]);
  const findings = data.additions.get("trig")?.findings.map(({ target, sentence }) => [target, sentence]);
  expect(findings).toEqual([
    ["node", expect.stringContaining("with 8 or more at a time requests wait")],
    ["vercel", expect.stringContaining("with 2 or more at a time requests wait")],
  ]);
  expect(html).toContain("with 8 or more at a time requests wait");
  expect(html.match(/aria-label="(Latency|Answers), trig\./g)).toHaveLength(2);
  expect(await readFile(join(sweep, "load.html"), "utf8")).toMatch(
    /<h1>[^<]+ requests a second at most, .*<\/h1>/,
  );

  const colour = (target: string) => data.targets.find(({ name }) => name === target)?.colour;
  const [latency = ""] =
    html.match(/<svg class="plot" role="img" aria-label="Latency, trig.*?<\/svg>/s) ?? [];
  expect(latency).toMatch(/^[^>]*vercel: 10\.\d ms at concurrency 1/);
  for (const name of NAMES) {
    expect(latency).toContain(`stroke="var(--t${colour(name)})"`);
  }
  expect(latency).not.toContain(`var(--t${colour("cloudflare")})`);
  expect(latency.match(/<circle[^>]* r="6"/g)).toHaveLength(2);
});

const event = { atMs: 1, kind: "target-dropped", caseId: "short", target: "single", trial: 0 } as const;
const troubled = { events: [{ ...event, detail: "for tests" }] };

describe("load.html in a browser", inBrowser, () => {
  test.each(["concurrency", "rates"] as const)(
    "a page of %s fits a phone and the paper and passes axe, light and dark",
    async (levels) => {
      const folder = join(results, levels);
      await mkdir(folder);
      await writeSyntheticLoad(folder, { levels, changes: troubled });
      const markup = await readFile((await createLoadReport(folder)).htmlFile, "utf8");
      for (const scheme of ["light", "dark"] as const) {
        const opened = await openPage(markup, 360, scheme);
        expect(await faultsOf(opened)).toEqual(NO_FAULTS);
      }
      expect(await faultsOf(await openPrinted(markup))).toEqual(NO_FAULTS);
    },
  );
});
