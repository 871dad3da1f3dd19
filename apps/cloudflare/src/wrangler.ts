import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The pinned wrangler's own script: to be run by Node.js. */
export const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);
