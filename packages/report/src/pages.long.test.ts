import { existsSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import type { Run } from "@evenbench/results";
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
import type { AnalysedRun } from "./analyse-run.ts";
import { makeFacts } from "./facts/make-facts.ts";
import { page } from "./media/page/page.ts";
import { createSite } from "./site/site.ts";

const events = (["host-restarted", "warmup-unstable", "case-failed"] as const).map((kind) => {
  return { kind, atMs: 3_000, caseId: "trig", target: "vercel", trial: 1, detail: "for tests" };
});
const troubled: SyntheticOptions = { rounds: 20, events, failEvery: 20, status: "interrupted" };

const longWord = " averyveryverylongwordwithoutanyspaceinitthatmustbreak";
const pageOf = (data: AnalysedRun) => {
  const { facts, details } = makeFacts(data, []);
  return page(facts, details);
};
/** The run with the words that it was typed with. */
const typed = (run: Run): Run => ({ ...run, command: ["run", "--trials", "5"] });

describe("report.html in a browser", inBrowser(), () => {
  const markup = pageOf(analysed(troubled, typed));
  const withLongWords = pageOf(analysed({ ...troubled, text: longWord }));
  const shownPictures = (opened: Page) =>
    opened.$$eval("[data-metric]", (all) =>
      all.flatMap(({ dataset, checkVisibility }, index) =>
        checkVisibility.call(all[index]) ? `${dataset.metric} ${dataset.against}` : [],
      ),
    );

  test("quantity and baseline are chosen by keys, without a script", async () => {
    const context = await (await ownBrowser()).newContext({ javaScriptEnabled: false });
    const opened = await context.newPage();
    await opened.setContent(pageOf(analysedWithCpu({ rounds: 10 })));
    const heading = await opened.locator("h1").textContent();
    const isShown = (name: string) => opened.locator(name).isVisible();
    const picture = (metric: string, against: number) =>
      `[data-metric="${metric}"][data-against="${against}"]`;
    expect([await isShown(picture("lastByteMs", 0)), await isShown(picture("cpuMs", 0))]).toEqual([
      true,
      false,
    ]);
    await opened.getByRole("radio", { name: "Time", exact: true }).focus();
    await opened.keyboard.press("ArrowRight");
    expect([await isShown(picture("lastByteMs", 0)), await isShown(picture("cpuMs", 0))]).toEqual([
      false,
      true,
    ]);
    await opened.keyboard.press("Tab");
    await opened.keyboard.press("ArrowRight");
    expect([await isShown(picture("cpuMs", 0)), await isShown(picture("cpuMs", 1))]).toEqual([false, true]);
    expect(await opened.locator("h1").textContent()).toBe(heading);
    expect(await opened.locator("button:visible").count()).toBe(0);
    await context.close();
  });

  test("each case's command can be copied where there is a clipboard", async () => {
    // The clipboard is for addresses that are secure.
    const answer = { body: markup, contentType: "text/html" };
    const { page: opened } = await openAt("http://localhost/", () => answer);
    await opened.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await opened.locator("#title-trig").click();
    await opened.locator("[data-copy=command-trig]").click();
    const copied = () => opened.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toBe("npm run bench -- run --case trig --trials 5");
    expect(await opened.locator("#case-trig .links").textContent()).toContain(await copied());
  });

  test("cases fold, one or all, and a link to a folded one opens it", async () => {
    const { page: opened, trouble } = await openPage(markup);
    const unfolded = () => opened.locator(".case>details[open]").count();
    expect(await unfolded()).toBe(0);
    await opened.getByRole("button", { name: "Open all cases" }).click();
    expect(await unfolded()).toBe(4);
    await opened.getByRole("button", { name: "Fold all cases" }).click();
    await opened.locator(".chart:visible").getByRole("link", { name: "Trigonometry" }).click();
    // The browser opens it after the click.
    await expect.poll(unfolded).toBe(1);
    expect(await opened.locator("#case-trig .lead").isVisible()).toBe(true);
    expect(trouble).toEqual([]);
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
    const { page: printed } = opened;
    const colours = () => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return [backgroundColor, color];
    };
    expect(await printed.evaluate(colours)).toEqual(["rgb(255, 255, 255)", "rgb(27, 31, 36)"]);
    expect(await printed.locator(".skip").isVisible()).toBe(false);
    const sheets = async () =>
      (await printed.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    const short = await sheets();
    expect(short).toBeLessThanOrEqual(3);
    expect(await shownPictures(printed)).toEqual(["lastByteMs 0"]);
    expect(await printed.locator("#case-trig").isVisible()).toBe(false);
    await printed.$eval("#title-trig", (title) => title.closest("details")?.setAttribute("open", ""));
    expect(await printed.locator("#case-trig table").first().isVisible()).toBe(true);
    expect(await printed.locator("#case-empty").isVisible()).toBe(false);
    expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    expect(await sheets()).toBeGreaterThan(short);
  });

  test("hostile text from data stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`;
    const { page: opened, trouble } = await openPage(
      pageOf(analysed({ rounds: 10, failEvery: 5, text: hostile })),
    );
    await opened.waitForLoadState("networkidle");
    expect(await opened.title()).toContain("Cloudflare's workerd against ");
    expect(await opened.locator("img").count()).toBe(0);
    expect(await opened.locator("script").count()).toBe(1);
    expect(await opened.locator(".case h3").first().textContent()).toContain(hostile);
    expect(trouble).toEqual([]);
  });
});

/** Address at which a host keeps the gallery: below a path, as project pages are. */
const BASE = "http://pages.test/someone/evenbench/";

describe("a gallery in a browser", inBrowser(), () => {
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
