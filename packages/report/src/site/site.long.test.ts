import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, inBrowser, launchBrowser, NO_FAULTS, openAt } from "../../test/browser.ts";
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

  /** A host that has nothing but the gallery's files. */
  const filesAt = (base: string) => (url: string) => {
    const path = join(out, url.slice(base.length).split("#")[0] ?? "");
    return url.startsWith(base) && existsSync(path) ? { path } : null;
  };

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "fits, loads nothing from elsewhere, and axe finds no violation, in %s mode at %i pixels",
    async (scheme, width) => {
      for (const page of ["index.html", "archive.html", "case/trig.html"]) {
        const opened = await openAt(browser, BASE + page, filesAt(BASE), width, scheme);
        expect([page, await faultsOf(opened)]).toEqual([page, NO_FAULTS]);
      }
    },
  );

  test("a case is one click away, and a run's report two, also from a folder on disk", async () => {
    const base = `${pathToFileURL(out)}/`;
    const { page, trouble } = await openAt(browser, `${base}index.html`, filesAt(base), 1280, "light");
    await page.getByRole("link", { name: "trig" }).click();
    expect(await page.locator("figure svg[role=img]").count()).toBe(4);
    await page.locator("summary").first().click();
    await page.getByRole("link", { name: "2026-11-03 03:00 UTC" }).click();
    expect(await page.title()).toBe("Evenbench 20261103-030000");
    expect(trouble).toEqual([]);
  });
});
