import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, inBrowser, launchBrowser, NO_FAULTS, type Opened, openAt } from "../../test/browser.ts";
import { onMachine, withRuntime, writeNight } from "../../test/synthetic.ts";
import { createSite } from "../index.ts";

/** Where a host keeps the gallery: below a path, as project pages are. */
const BASE = "http://pages.test/someone/evenbench/";
const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak";

describe("a gallery in a browser", inBrowser, () => {
  let browser: Browser;
  let directory = "";
  let out = "";
  beforeAll(async () => {
    browser = await launchBrowser();
    directory = await mkdtemp(join(tmpdir(), "evenbench-gallery-"));
    out = join(directory, "gallery");
    const results = join(directory, "results");
    await writeNight(results, 1, onMachine(`Another processor${text}`), { text });
    await writeNight(results, 2);
    await writeNight(results, 3, withRuntime("cloudflare", "workerd 2.0"));
    await createSite([results], out);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(directory, { recursive: true });
  });

  /** From a host that has nothing but the gallery's files. */
  function openOn(base: string, page: string, width: number, colorScheme: "light" | "dark"): Promise<Opened> {
    const answer = (url: string) => {
      const path = join(out, decodeURIComponent(url.slice(base.length).split("#")[0] ?? ""));
      return url.startsWith(base) && existsSync(path) ? { path } : null;
    };
    return openAt(browser, base + page, answer, width, colorScheme);
  }

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "fits, loads nothing from elsewhere, and axe finds no violation, in %s mode at %i pixels",
    async (scheme, width) => {
      for (const page of ["index.html", "archive.html", "case/trig.html"]) {
        const opened = await openOn(BASE, page, width, scheme);
        expect([page, await faultsOf(opened)]).toEqual([page, NO_FAULTS]);
      }
    },
  );

  test("leads from what stands to a case, to a run's report, and to the archive and back, also from a folder on disk", async () => {
    for (const base of [BASE, `${pathToFileURL(out)}/`]) {
      const { page, trouble } = await openOn(base, "index.html", 1280, "light");
      await page.getByRole("link", { name: "trig" }).click();
      expect(page.url()).toBe(`${base}case/trig.html`);
      expect(await page.locator("figure svg[role=img]").count()).toBe(2);
      await page.locator("summary").first().click();
      await page.getByRole("link", { name: "2026-11-03 03:00 UTC" }).click();
      expect(page.url()).toBe(`${base}runs/20261103-030000/report.html`);
      await page.goBack();
      await page.getByRole("link", { name: "All runs" }).click();
      await page.getByRole("link", { name: "2026-11-02 03:00 UTC" }).click();
      expect(await page.title()).toBe("Evenbench 20261102-030000");
      await page.goBack();
      await page.getByRole("link", { name: "Current standing" }).click();
      expect(page.url()).toBe(`${base}index.html`);
      expect(trouble).toEqual([]);
    }
  });
});
