import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultsOf, inBrowser, launchBrowser, NO_FAULTS, openPage } from "../../test/browser.ts";
import { analysedWithCpu } from "../../test/synthetic.ts";
import { renderHtml } from "./page.ts";
import { GLOSSARY } from "./term.ts";

describe("words that are explained", inBrowser, () => {
  let browser: Browser;
  const markup = renderHtml(analysedWithCpu({ rounds: 20 }));
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const shown = (page: Page) => page.locator(".tip:visible");

  /** Gives the focus to each word in turn. @returns those whose explanation is not in the window, over everything. */
  const outOfSight = (page: Page, words: string) =>
    page.evaluate(async (selector) => {
      const isInSight = () => {
        const tip = [...document.querySelectorAll(".tip")].find((one) => one.checkVisibility());
        const { left, right, top, bottom } = tip?.getBoundingClientRect() ?? new DOMRect();
        const corners = [
          [left + 4, top + 4],
          [right - 4, bottom - 4],
        ] as const;
        return corners.every(([x, y]) => tip?.contains(document.elementFromPoint(x, y)) ?? false);
      };
      const found = { seen: 0, hidden: [] as (string | null)[] };
      for (const word of document.querySelectorAll<HTMLElement>(selector)) {
        if (!word.checkVisibility()) continue;
        found.seen += 1;
        word.focus();
        let frames = 60;
        while (!isInSight() && frames > 0) {
          await new Promise(requestAnimationFrame);
          frames -= 1;
        }
        if (frames === 0) found.hidden.push(word.textContent);
      }
      return found;
    }, words);

  test("the keyboard's focus does so, too, and Escape takes it away until the word is left", async () => {
    const { page } = await openPage(browser, markup);
    const word = page.locator(".overview dfn", { hasText: "interval" }).first();
    await word.focus();
    await expect.poll(() => shown(page).textContent()).toContain(GLOSSARY["A/A control"]);
    await page.keyboard.press("Escape");
    expect(await shown(page).count()).toBe(0);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => shown(page).count()).toBe(1);
  });

  test.each([360, 1280])("every explanation can be read at %i pixels", async (width) => {
    const opened = await openPage(browser, markup, width);
    const { page } = opened;
    // The focus that a script gives counts as the keyboard's from the first key on.
    await page.keyboard.press("Shift");
    await page.$$eval("details", (all) => {
      for (const one of all) one.open = true;
    });
    const { seen, hidden } = await outOfSight(page, "dfn, .verdicts th button");
    expect(hidden).toEqual([]);
    expect(seen).toBeGreaterThan(15);
    // With one of them open.
    expect(await shown(page).count()).toBe(1);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
  });
});
