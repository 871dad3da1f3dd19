import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { launchBrowser, withoutBrowser } from "@evenbench/report/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedPage } from "../../test/recorded-page.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

describe.skipIf(withoutBrowser)("profile.html in a browser", () => {
  let browser: Browser;
  let markup: string;
  beforeAll(async () => {
    markup = await recordedPage(["one", "two"]);
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(
    html: string,
    width = 1280,
    colorScheme: "light" | "dark" = "light",
  ): Promise<{ page: Page; trouble: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const trouble: string[] = [];
    page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
    page.on("pageerror", (error) => trouble.push(String(error)));
    await page.route("**/*", (route) => {
      if (route.request().url() === "http://profile.test/")
        return route.fulfill({ body: html, contentType: "text/html" });
      trouble.push(`request for ${route.request().url()}`);
      return route.abort();
    });
    await page.goto("http://profile.test/");
    return { page, trouble };
  }

  test("loads nothing, reports no error, and has a flame graph for each target", async () => {
    const { page, trouble } = await open(markup);
    await page.waitForLoadState("networkidle");
    expect(trouble).toEqual([]);
    expect(await page.getByRole("tree").count()).toBe(2);
    expect(await page.getByRole("row").filter({ hasText: "garbage collector" }).count()).toBeGreaterThan(0);
    await page.close();
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
      tree.locator("li", { has: page.locator(`:scope > b:text("${name}")`) });
    await boxNamed("churn").last().locator("> b").click();
    expect(await shown()).toBeLessThan(all);
    expect(await boxNamed("burn").last().isVisible()).toBe(false);
    await page.keyboard.press("Escape");
    expect(await shown()).toBe(all);
    expect(trouble).toEqual([]);
    await page.close();
  });

  test.each([360, 768, 1280])("fits a window of %i pixels without sideways scrolling", async (width) => {
    const { page } = await open(markup, width);
    await page.$$eval("details", (every) => {
      for (const one of every) one.open = true;
    });
    const overflowing = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflowing).toBeLessThanOrEqual(0);
    await page.close();
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("axe finds no violation in %s mode at %i pixels", async (scheme, width) => {
    const { page } = await open(markup, width, scheme);
    await page.$$eval("details", (every) => {
      for (const one of every) one.open = true;
    });
    await page.evaluate(await readFile(axe, "utf8"));
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const { violations } = await axe.run();
      return violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .map((node) => node.html.slice(0, 200))
            .slice(0, 3)
            .join(" ")}`,
      );
    });
    expect(violations).toEqual([]);
    await page.close();
  });

  test("hostile text from a profile stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`;
    const { page, trouble } = await open(await recordedPage([hostile]));
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("Evenbench profile of burn-and-churn");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(trouble).toEqual([]);
    await page.close();
  });
});
