import { existsSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { GLOSSARY } from "@evenbench/page";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import {
  faultsOf,
  inBrowser,
  NO_FAULTS,
  openAt,
  openPage,
  openPrinted,
  ownBrowser,
} from "../test/browser.ts";
import {
  analysed,
  analysedWithCpu,
  onMachine,
  type SyntheticOptions,
  withRuntime,
  writeNight,
} from "../test/synthetic.ts";
import { renderHtml } from "./html/page.ts";
import { createSite } from "./site/site.ts";

const events = (["host-restarted", "warmup-unstable", "case-failed"] as const).map((kind) => {
  return { kind, atMs: 3_000, caseId: "trig", target: "vercel", trial: 1, detail: "for tests" };
});
const troubled: SyntheticOptions = { rounds: 20, events, failEvery: 20, status: "interrupted" };

const longWord = " averyveryverylongwordwithoutanyspaceinitthatmustbreak";
const pageOf = (options: SyntheticOptions) => renderHtml(analysed(options));

describe("report.html in a browser", inBrowser, () => {
  const markup = pageOf(troubled);
  const withLongWords = pageOf({ ...troubled, text: longWord });
  const ROWS = '[data-view=""] table.verdicts tbody tr';
  const rowsOf = (page: Page) =>
    page.$$eval(`${ROWS}:not([hidden])`, (rows) =>
      rows.map((row) => [0, 1].map((at) => row.querySelectorAll("th a, .target")[at]?.textContent).join(" ")),
    );

  const openNumbers = (page: Page) => page.getByText(/^All numbers: \d+ rows$/).click();

  test("a header sorts the rows by its column, up and then down, and says so", async () => {
    const { page, trouble } = await openPage(markup);
    await openNumbers(page);
    const button = page.getByRole("button", { name: /^Change(?! of)/ });
    const sorted = page.locator("th", { has: button });
    const ratios = () =>
      page.$$eval(ROWS, (rows) =>
        rows.map((row) => Number((row as HTMLTableRowElement).cells[3]?.dataset.sort)),
      );
    const before = await ratios();
    const ascending = before.toSorted((a, b) => a - b);
    expect(before).not.toEqual(ascending);
    await button.focus();
    await page.keyboard.press("Enter");
    expect([await ratios(), await sorted.getAttribute("aria-sort")]).toEqual([ascending, "ascending"]);
    await button.click();
    const descending = ascending.toReversed();
    expect([await ratios(), await sorted.getAttribute("aria-sort")]).toEqual([descending, "descending"]);
    expect(await page.locator("th[aria-sort=none]:visible").count()).toBe(8);
    expect(trouble).toEqual([]);
  });

  test("with another baseline chart and table are against that; what is sorted and chosen stands in the URL, which brings the view back", async () => {
    const { page, trouble } = await openPage(markup);
    await openNumbers(page);
    const all = await rowsOf(page);
    const rows = page.locator("table.verdicts:visible tr", { has: page.locator('[href="#case-react-ssr"]') });
    const cells = (target: string) =>
      rows
        .filter({ has: page.locator(".target", { hasText: target }) })
        .locator("td")
        .allTextContents();
    const ratioOf = (change: string) => 1 + Number.parseFloat(change.replace("−", "-")) / 100;
    const [, , before = ""] = await cells("workerd");
    await page.getByRole("link", { name: "Cloudflare's workerd" }).click();
    const [, , change = "", verdict] = await cells("Node.js");
    expect(ratioOf(change) * ratioOf(before)).toBeCloseTo(1, 1);
    expect([verdict, (await cells("workerd"))[3]]).toEqual([
      expect.stringMatching(/faster|slower|same|unclear/),
      "baseline",
    ]);
    expect(await page.locator('[data-view=""]:visible').count()).toBe(0);

    await page.locator("button:visible", { hasText: /^Time$/ }).click();
    const shared = new URL(page.url()).hash;
    expect(shared).toBe("#baseline=cloudflare&sort=time");
    const sorted = await rowsOf(page);
    expect([sorted.toSorted(), sorted]).not.toEqual([all.toSorted(), all]);
    await page
      .locator(".verdicts:visible")
      .getByRole("link", { name: "React page, each platform" })
      .first()
      .click();
    expect(new URL(page.url()).hash).toBe("#case-react-ssr-native");
    expect(await rowsOf(page)).toEqual(sorted);

    const again = await openPage(markup, 1280, "light", shared);
    expect(await rowsOf(page)).toEqual(sorted);
    expect(await page.locator("h1:visible").textContent()).toContain("Cloudflare's workerd");
    await openNumbers(page);
    await page.goto(`${page.url().split("#")[0]}#sort=nothing&baseline=none`);
    expect(await rowsOf(page)).toEqual(all);
    expect([...trouble, ...again.trouble]).toEqual([]);
  });

  test("a word is explained at a key, beside it, until Escape", async () => {
    const { page } = await openPage(markup);
    await page.locator(".term:visible", { hasText: "99 % interval" }).first().focus();
    await page.keyboard.press("Enter");
    const tip = page.locator(".tip:visible");
    expect(await tip.textContent()).toContain(GLOSSARY.interval);
    await page.keyboard.press("Escape");
    expect(await tip.count()).toBe(0);
  });

  test("each case's command can be copied where there is a clipboard", async () => {
    // The clipboard is for addresses that are secure.
    const answer = { body: markup, contentType: "text/html" };
    const { page } = await openAt("http://localhost/", () => answer);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("#title-trig").click();
    await page.locator("[data-copy=command-trig]").click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain("npm run bench -- --case trig ");
    expect(await page.locator("#case-trig .links").textContent()).toContain(await copied());
  });

  test("cases fold, one or all, and a link to a folded one opens it", async () => {
    const { page, trouble } = await openPage(markup);
    const unfolded = () => page.locator(".case>details[open]").count();
    expect(await unfolded()).toBe(0);
    await page.getByRole("button", { name: "Open all cases" }).click();
    expect(await unfolded()).toBe(4);
    await page.getByRole("button", { name: "Fold all cases" }).click();
    await page.locator(".panel:visible").first().getByRole("link", { name: "Trigonometry" }).click();
    // The browser opens it after the click.
    await expect.poll(unfolded).toBe(1);
    expect(await page.locator("#case-trig .lead").isVisible()).toBe(true);
    expect(trouble).toEqual([]);
  });

  test("without script time and CPU time are there, the table is whole, in plan order, and there are no controls that do nothing", async () => {
    const context = await (await ownBrowser()).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.setContent(renderHtml(analysedWithCpu({ rounds: 10 })));
    expect(await page.locator("[data-metric]:visible").count()).toBe(2);
    expect(await page.locator("nav:visible, button.fold:visible").count()).toBe(0);
    await openNumbers(page);
    expect(await page.locator("table.verdicts tbody tr:visible").count()).toBe(12);
    expect(await page.locator(".verdicts button:visible").count()).toBe(0);
    await context.close();
  });

  test.each([
    ["light", 360],
    ["dark", 1280],
  ] as const)("fits, and axe finds no violation, in %s mode at %i pixels", async (scheme, width) => {
    const opened = await openPage(withLongWords, width, scheme);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    expect(await opened.page.locator("figure svg[role=img]").count()).toBe(12);
  });

  test("printed from a dark screen it is dark on white, keeps to the paper, and has the cases that are open alone", async () => {
    const opened = await openPrinted(markup);
    const { page } = opened;
    const colours = () => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    };
    expect(await page.evaluate(colours)).toEqual(["rgb(255, 255, 255)", "rgb(27, 31, 36)"]);
    expect(await page.locator(".skip").isVisible()).toBe(false);
    const sheets = async () =>
      (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    const short = await sheets();
    expect(short).toBeGreaterThan(1);
    expect(short).toBeLessThanOrEqual(6);
    expect(await page.locator(".panel").first().isVisible()).toBe(true);
    expect(await page.locator("#case-trig").isVisible()).toBe(false);
    await page.$eval("#title-trig", (title) => title.closest("details")?.setAttribute("open", ""));
    expect(await page.locator("#case-trig table").first().isVisible()).toBe(true);
    expect(await page.locator("#case-empty").isVisible()).toBe(false);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    expect(await sheets()).toBeGreaterThan(short);
  });

  test("hostile text from data stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`;
    const { page, trouble } = await openPage(pageOf({ rounds: 10, failEvery: 5, text: hostile }));
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toContain("Cloudflare's workerd was ");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(1);
    expect(await page.locator(".case h3").first().textContent()).toContain(hostile);
    expect(trouble).toEqual([]);
  });
});

/** Address at which a host keeps the gallery: below a path, as project pages are. */
const BASE = "http://pages.test/someone/evenbench/";

describe("a gallery in a browser", inBrowser, () => {
  const results = testFolder();
  const out = testFolder();
  beforeAll(async () => {
    await writeNight(results, 1, onMachine(`Another processor${longWord}`), { text: longWord });
    await writeNight(results, 2);
    await writeNight(results, 3, withRuntime("cloudflare", "workerd 2.0"));
    await createSite([results], out);
  });

  /** A host that has nothing but the gallery's files. */
  const fileAt = (url: string) => {
    const path = join(out, url.slice(BASE.length).split("#")[0] ?? "");
    return url.startsWith(BASE) && existsSync(path) ? { path } : null;
  };

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "fits, loads nothing from elsewhere, and axe finds no violation, in %s mode at %i pixels",
    async (scheme, width) => {
      for (const page of ["index.html", "archive.html", "case/trig.html"]) {
        const opened = await openAt(BASE + page, fileAt, width, scheme);
        expect([page, await faultsOf(opened)]).toEqual([page, NO_FAULTS]);
      }
    },
  );
});
