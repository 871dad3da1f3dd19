import { expect, test } from "vitest";
import { filesNamedByScripts } from "./pages.ts";

test.each([
  ["wrangler pages dev ./dist --compatibility-flags=nodejs_als", "dist"],
  ["npm run build && wrangler pages deploy build/client", "build/client"],
  ["wrangler pages dev --port 8788 -- vite", null],
  ["wrangler pages deploy", null],
  ["wrangler dev src/index.ts", null],
])("of a Pages project without a configuration the script %j names the files %j", (dev, files) => {
  expect(filesNamedByScripts({ packageJson: { scripts: { dev } } })).toBe(files);
});
