import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { findProgram } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { type Browser, chromium, type Page, type Route } from "playwright-core";
import { afterAll, type TestOptions } from "vitest";

/** The Chromium that tests look at pages with, as the shell finds it. CHROMIUM_PATH names another one. */
const chromiumPath = await findProgram(process.env.CHROMIUM_PATH || "chromium");

/**
 * Makes options of tests in a browser, closed behind the last one. Without a browser they are skipped locally, and fail
 * in CI.
 */
export function inBrowser(): TestOptions {
  afterAll(closeBrowser);
  return needs(
    chromiumPath === null && process.env.CI !== "true"
      ? "chromium is not installed. Install it with: apt-get install chromium (or set CHROMIUM_PATH)"
      : null,
  );
}

async function closeBrowser(): Promise<void> {
  const browser = await launched;
  launched = undefined;
  page = undefined;
  await browser?.close();
}

const URL_OF_PAGE = "http://report.test/";
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let launched: Promise<Browser> | undefined;
/** A new page costs half a second of CPU time, and tests look at one at a time: each file has one. */
let page: Page | undefined;

/** Gives the browser of a file's tests: it is started once. */
export function ownBrowser(): Promise<Browser> {
  const quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  launched ??= chromium.launch({
    executablePath: chromiumPath ?? "chromium",
    args: ["--no-sandbox", ...quiet],
  });
  return launched;
}

/** The answer of an address, as Playwright sends it. */
type Answer = NonNullable<Parameters<Route["fulfill"]>[0]>;

/** A page that is open in the file's browser. */
export interface OpenedPage {
  readonly page: Page;
  /** Console errors, exceptions, and requests for anything but the page itself, in words. Later ones are added. */
  readonly trouble: readonly string[];
}

/** Opens an address in the file's page. @param answer gives what there is at an address; null is trouble. */
export async function openAt(
  url: string,
  answer: (url: string) => Answer | null,
  width = 1280,
  colorScheme: "light" | "dark" = "light",
): Promise<OpenedPage> {
  page ??= await (await ownBrowser()).newPage();
  page.removeAllListeners("console").removeAllListeners("pageerror");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // An address that differs after its "#" alone would load nothing; and the pointer must be away from all words.
  await page.goto("about:blank");
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ media: null, colorScheme });
  const trouble: string[] = [];
  page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  await page.route("**/*", (route) => {
    const url = route.request().url();
    const found = answer(url);
    if (found !== null) {
      return route.fulfill(found);
    }
    trouble.push(`request for ${url}`);
    return route.abort();
  });
  await page.goto(url);
  return { page, trouble };
}

/** Opens a page that needs nothing else; whatever it asks for beside itself is trouble. */
export function openPage(
  html: string,
  width?: number,
  colorScheme?: "light" | "dark",
  fragment = "",
): Promise<OpenedPage> {
  const found = { body: html, contentType: "text/html" };
  const answer = (url: string) => (url === URL_OF_PAGE ? found : null);
  return openAt(URL_OF_PAGE + fragment, answer, width, colorScheme);
}

/** A4 at 96 dots an inch, between margins of 1 cm. */
const PAPER_PX = 717;

/** Opens a page from a dark screen as it is printed on A4. */
export async function openPrinted(html: string): Promise<OpenedPage> {
  const opened = await openPage(html, PAPER_PX, "dark");
  await opened.page.emulateMedia({ media: "print", colorScheme: "dark" });
  return opened;
}

/** The faults of a page. */
export interface PageFaults {
  /** CSS pixels by which the page is wider than its window. */
  readonly overflowPx: number;
  /** Violations that axe found: the rule's id, and the first three elements. */
  readonly violations: readonly string[];
  /** The trouble of {@link OpenedPage}. */
  readonly trouble: readonly string[];
}

/** The faults of a page that has none. */
export const NO_FAULTS: PageFaults = { overflowPx: 0, violations: [], trouble: [] };

/** Finds what is wrong with an open page, all of it unfolded: `NO_FAULTS` where nothing is. */
export async function faultsOf({ page, trouble }: OpenedPage): Promise<PageFaults> {
  await page.$$eval("details", (all) => {
    for (const details of all) {
      details.open = true;
    }
  });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  // Through the debugger, because the page's policy lets no other script in.
  await page.evaluate(await readFile(axe, "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as typeof import("axe-core") & { axe: typeof import("axe-core") };
    const found = (await axe.run()).violations;
    const shown = (nodes: readonly { readonly html: string }[]) => nodes.slice(0, 3).map(({ html }) => html);
    return found.map(({ id, nodes }) => `${id}: ${shown(nodes).join(" ")}`);
  });
  return { overflowPx: Math.max(0, overflow), violations, trouble };
}
