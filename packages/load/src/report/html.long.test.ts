import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { createReport } from "@evenbench/report";
import { faultsOf, inBrowser, NO_FAULTS, openPage, openPrinted } from "@evenbench/report/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { describe, expect, test } from "vitest";
import { writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { createLoadReport } from "./create-report.ts";
import { loadsIn } from "./read.ts";

const results = testFolder();
/** Targets of the synthetic run. Their order is not the run's, so that a colour by place would be wrong. */
const NAMES = ["vercel", "node"] as const;

test("a run's page says and draws what the loads in its folder found, in the run's colours", async () => {
  const folder = await writeSyntheticRun(results, { rounds: 20 });
  const inner = join(folder, "load");
  await mkdir(inner);
  await writeSyntheticLoad(inner, { levels: "concurrency", caseId: "trig", names: NAMES });
  const { facts, htmlFile } = await createReport(folder, undefined, { loadsOf: loadsIn });
  const html = await readFile(htmlFile, "utf8");
  expect(html.match(/aria-label="(Time|Answers), Short\./g)).toHaveLength(2);
  const colour = (target: string) => facts.targets.find(({ name }) => name === target)?.colour;
  const [time = ""] = html.match(/<svg class="plot" role="img" aria-label="Time, Short.*?<\/svg>/s) ?? [];
  for (const name of NAMES) {
    expect(time).toContain(`stroke="var(--t${colour(name)})"`);
  }
  expect(time).not.toContain(`var(--t${colour("cloudflare")})`);
  expect(time.match(/<circle[^>]* r="6"/g)).toHaveLength(2);
});

const event = { atMs: 1, kind: "target-dropped", caseId: "short", target: "single", trial: 0 } as const;
const troubled = { events: [{ ...event, detail: "for tests" }] };

describe("load.html in a browser", inBrowser(), () => {
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
