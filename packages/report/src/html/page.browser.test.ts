import type { RunEvent } from "@evenbench/core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  faultsOf,
  launchBrowser,
  NO_FAULTS,
  openPage,
  openPrinted,
  withoutBrowser,
} from "../../test/browser.ts";
import { analysedApps } from "../../test/several-apps.ts";
import { analysed, type SyntheticOptions } from "../../test/synthetic.ts";
import { renderHtml } from "./page.ts";

const events: readonly RunEvent[] = (["host-restarted", "warmup-unstable", "case-failed"] as const).map(
  (kind) => ({
    atMs: 3_000,
    kind,
    caseId: "trig",
    target: "vercel",
    generation: 1,
    detail: "for tests",
  }),
);
const troubled: SyntheticOptions = { rounds: 20, events, failEvery: 20, status: "interrupted" };

const pageOf = (options: SyntheticOptions) => renderHtml(analysed(options));

describe.skipIf(withoutBrowser)("report.html in a browser", () => {
  let browser: Browser;
  const markup = pageOf(troubled);
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const open = (html: string, width?: number, colorScheme?: "light" | "dark") =>
    openPage(browser, html, width, colorScheme);

  test("loads nothing and reports no error", async () => {
    const { page, trouble } = await open(markup);
    await page.waitForLoadState("networkidle");
    expect(trouble).toEqual([]);
    expect(await page.locator("figure svg[role=img]").count()).toBe(17);
    await page.close();
  });

  test("a header sorts the rows by its column, up and then down, and says so", async () => {
    const { page, trouble } = await open(markup);
    const button = page.getByRole("button", { name: "Ratio to baseline" });
    const ratios = () =>
      page.$$eval("table[data-sortable] tbody tr", (rows) => rows.map((row) => Number(row.dataset.ratio)));
    const header = page.locator("th", { has: button });
    const before = await ratios();
    await button.focus();
    await page.keyboard.press("Enter");
    const ascending = before.toSorted((a, b) => a - b);
    expect(before).not.toEqual(ascending);
    expect(await ratios()).toEqual(ascending);
    expect(await header.getAttribute("aria-sort")).toBe("ascending");
    await button.click();
    expect(await ratios()).toEqual(ascending.toReversed());
    expect(await header.getAttribute("aria-sort")).toBe("descending");
    expect(await page.locator("th[aria-sort=none]").count()).toBe(4);
    expect(trouble).toEqual([]);
    await page.close();
  });

  test.each([
    ["light", 360],
    ["dark", 360],
    ["light", 768],
    ["dark", 1280],
  ] as const)("fits, and axe finds no violation, in %s mode at %i pixels", async (scheme, width) => {
    const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak";
    const opened = await open(pageOf({ ...troubled, text }), width, scheme);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    await opened.page.close();
  });

  test("with several apps every target has its colour, and the page fits a phone and the paper", async () => {
    const html = renderHtml(analysedApps(["bundle", "next", "sveltekit"], { rounds: 10 }));
    for (const opened of [await open(html, 360, "dark"), await openPrinted(browser, html)]) {
      expect(await faultsOf(opened)).toEqual(NO_FAULTS);
      const dots = await opened.page.$$eval(".findings span.target, .verdicts span.target", (marks) =>
        marks.map((mark) => [mark.textContent, getComputedStyle(mark, "::before").borderTopColor]),
      );
      const colours = new Map(dots.map(([name, colour]) => [name, colour]));
      expect(colours.size).toBe(9);
      const transparent = [...colours].filter(([, colour]) => colour === "rgba(0, 0, 0, 0)");
      expect(transparent).toEqual([]);
      // A platform's is the same in every app, and no two platforms share one.
      for (const platform of ["node", "cloudflare", "vercel"])
        expect(colours.get(`next-${platform}`)).toBe(colours.get(`sveltekit-${platform}`));
      expect(new Set(colours.values()).size).toBe(3);
      await opened.page.close();
    }
  });

  test("printed from a dark screen it is dark on white, keeps to the paper, and needs several sheets", async () => {
    const opened = await openPrinted(browser, markup);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    const lightness = (property: "backgroundColor" | "color") =>
      opened.page.evaluate((name) => {
        const context = document.createElement("canvas").getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.fillStyle = getComputedStyle(document.body)[name];
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].reduce((sum, part) => sum + part) / 765;
      }, property);
    expect(await lightness("backgroundColor")).toBeGreaterThan(0.9);
    expect(await lightness("color")).toBeLessThan(0.3);
    expect(await opened.page.locator(".skip").isVisible()).toBe(false);
    const pdf = (await opened.page.pdf({ format: "A4" })).toString("latin1");
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
    await opened.page.close();
  });

  test("hostile text from data stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`;
    const { page, trouble } = await open(pageOf({ rounds: 10, failEvery: 5, text: hostile }));
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("Evenbench synthetic");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(await page.locator("h3").first().textContent()).toContain(hostile);
    expect(trouble).toEqual([]);
    await page.close();
  });
});
