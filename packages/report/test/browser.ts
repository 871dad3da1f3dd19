import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { findProgram } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { type Browser, chromium, type Page } from "playwright-core";

/** The Chromium that tests look at pages with, as the shell finds it. CHROMIUM_PATH names another one. */
const chromiumPath = await findProgram(process.env.CHROMIUM_PATH || "chromium");

/** Options of tests in a browser. Locally they are skipped where there is none; in CI they must run, and fail. */
export const inBrowser = needs(
  chromiumPath === null && process.env.CI !== "true"
    ? "chromium is not installed. Install it with: apt-get install chromium (or set CHROMIUM_PATH)"
    : null,
);

export interface Opened {
  readonly page: Page;
  /** Console errors, exceptions and requests for anything but the page itself. */
  readonly trouble: string[];
}

const URL_OF_PAGE = "http://report.test/";
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export function launchBrowser(): Promise<Browser> {
  const quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  return chromium.launch({ executablePath: chromiumPath ?? "chromium", args: ["--no-sandbox", ...quiet] });
}

/** Opens a page that needs nothing else; whatever it asks for beside itself is trouble. */
export async function openPage(
  browser: Browser,
  html: string,
  width = 1280,
  colorScheme: "light" | "dark" = "light",
  fragment = "",
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const trouble: string[] = [];
  page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  await page.route("**/*", (route) => {
    if (route.request().url() === URL_OF_PAGE) return route.fulfill({ body: html, contentType: "text/html" });
    trouble.push(`request for ${route.request().url()}`);
    return route.abort();
  });
  await page.goto(URL_OF_PAGE + fragment);
  return { page, trouble };
}

/** A4 at 96 dots an inch, between margins of 1 cm. */
const PAPER_PX = 717;

/** Opens a page from a dark screen as it is printed on A4. */
export async function openPrinted(browser: Browser, html: string): Promise<Opened> {
  const opened = await openPage(browser, html, PAPER_PX, "dark");
  await opened.page.emulateMedia({ media: "print", colorScheme: "dark" });
  return opened;
}

/** Unfolds everything, so that nothing escapes a look. */
async function unfold(page: Page): Promise<void> {
  await page.$$eval("details", (all) => {
    for (const one of all) one.open = true;
  });
}

/** What is wrong with an open page, all of it unfolded: `NO_FAULTS` where nothing is. */
export async function faultsOf({ page, trouble }: Opened) {
  await unfold(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const violations = await axeViolations(page);
  return { overflowPx: Math.max(0, overflow), violations, trouble };
}

export const NO_FAULTS = { overflowPx: 0, violations: [], trouble: [] };

/** What axe finds wrong, each with the markup it stands in. */
async function axeViolations(page: Page): Promise<readonly string[]> {
  // Through the debugger, because the page's policy lets no other script in.
  await page.evaluate(await readFile(axe, "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as typeof import("axe-core") & { axe: typeof import("axe-core") };
    const results = await axe.run();
    return results.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(" ")}`,
    );
  });
}
