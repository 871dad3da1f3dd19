import {
  faultsOf,
  inBrowser,
  launchBrowser,
  NO_FAULTS,
  openPage,
  openPrinted,
} from "@evenbench/report/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedPage } from "../../test/recorded-page.ts";

describe("profile.html in a browser", inBrowser, () => {
  let browser: Browser;
  let markup: string;
  beforeAll(async () => {
    markup = await recordedPage(["one", "two"]);
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const open = (html: string, width?: number, colorScheme?: "light" | "dark") =>
    openPage(browser, html, width, colorScheme);

  test("loads nothing, reports no error, and has a flame graph for each target", async () => {
    const { page, trouble } = await open(markup);
    await page.waitForLoadState("networkidle");
    expect(trouble).toEqual([]);
    expect(await page.getByRole("tree").count()).toBe(2);
    expect(await page.getByRole("row").filter({ hasText: "garbage collector" }).count()).toBeGreaterThan(0);
  });

  test("the keyboard walks the calls, zooms in and out, and says what is chosen", async () => {
    const { page, trouble } = await open(markup);
    const tree = page.getByRole("tree").first();
    const here = page.locator(".here").first();
    await tree.locator("[tabindex='0']").focus();
    await page.keyboard.press("ArrowDown");
    const said = await here.textContent();
    expect(said).toMatch(/ %, itself /);
    const shown = () => tree.locator("li:visible").count();
    const all = await shown();
    const boxNamed = (name: string) =>
      // By its own title: "burn" is in the name of the function that calls it, too.
      tree.locator("li", { has: page.locator(`:scope > b[title^="${name},"]`) });
    await boxNamed("churn").last().locator("> b").click();
    expect(await shown()).toBeLessThan(all);
    expect(await boxNamed("burn").last().isVisible()).toBe(false);
    await page.keyboard.press("Escape");
    expect(await shown()).toBe(all);
    expect(trouble).toEqual([]);
  });

  test.each([
    ["dark", 360],
    ["light", 768],
    ["light", 1280],
  ] as const)("fits, and axe finds no violation, in %s mode at %i pixels", async (scheme, width) => {
    const opened = await open(markup, width, scheme);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
  });

  test("fits the paper when it is printed", async () => {
    expect(await faultsOf(await openPrinted(browser, markup))).toEqual(NO_FAULTS);
  });

  test("hostile text from a profile stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`;
    const { page, trouble } = await open(await recordedPage([hostile]));
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("Evenbench profile of burn-and-churn");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(trouble).toEqual([]);
  });
});
