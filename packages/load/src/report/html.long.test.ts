import { readFile } from "node:fs/promises";
import {
  faultsOf,
  inBrowser,
  launchBrowser,
  NO_FAULTS,
  openPage,
  openPrinted,
} from "@evenbench/report/testing";
import { scratchFolder } from "@evenbench/runner/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SyntheticLoad, writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { createLoadReport } from "./create-report.ts";

async function pageOf(options: SyntheticLoad): Promise<string> {
  await using scratch = await scratchFolder();
  await writeSyntheticLoad(scratch.path, options);
  return readFile((await createLoadReport(scratch.path)).htmlFile, "utf8");
}

const event = { atMs: 1, kind: "target-dropped", caseId: "short", target: "single", trial: 0 } as const;
const troubled = { events: [{ ...event, detail: "for tests" }] };

describe("load.html in a browser", inBrowser, () => {
  let browser: Browser;
  let sweep: string;
  beforeAll(async () => {
    browser = await launchBrowser();
    sweep = await pageOf({ of: "concurrency", changes: troubled });
  });
  afterAll(() => browser?.close());

  test("loads nothing, reports no error, and has a figure for each number with a text in its place", async () => {
    const { page, trouble } = await openPage(browser, sweep);
    await page.waitForLoadState("networkidle");
    expect(trouble).toEqual([]);
    const figures = page.locator("figure svg[role=img]");
    expect(await figures.count()).toBe(6);
    expect(await figures.first().getAttribute("aria-label")).toMatch(/single: 10\.\d ms at concurrency 1/);
  });

  test.each(["concurrency", "rates"] as const)(
    "a page of %s fits a phone and the paper and passes axe, light and dark",
    async (of) => {
      const markup = await pageOf({ of, changes: troubled });
      for (const scheme of ["light", "dark"] as const) {
        const opened = await openPage(browser, markup, 360, scheme);
        expect(await faultsOf(opened)).toEqual(NO_FAULTS);
      }
      expect(await faultsOf(await openPrinted(browser, markup))).toEqual(NO_FAULTS);
    },
  );

  test("hostile text from data stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const { page, trouble } = await openPage(browser, await pageOf({ of: "concurrency", text: hostile }));
    expect(await page.title()).toBe("Evenbench load synthetic");
    expect(await page.locator("img").count()).toBe(0);
    expect(trouble).toEqual([]);
  });
});
