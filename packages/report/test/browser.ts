import { existsSync } from "node:fs";

/** The Chromium that tests look at pages with: from CHROMIUM_PATH, or Debian's. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Locally the tests in a browser are skipped where there is none; in CI they must run, and fail. */
export const withoutBrowser = process.env.CI !== "true" && !existsSync(chromiumPath);

if (withoutBrowser) {
  console.warn(
    `Skipped tests in a browser: no Chromium at ${chromiumPath}. Install it, or set CHROMIUM_PATH.`,
  );
}
