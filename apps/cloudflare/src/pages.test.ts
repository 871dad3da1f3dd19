import { join } from "node:path";
import type { OwnAppBuild } from "@evenbench/core";
import { folderOfEachTest, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { type OwnConfiguration, readOwnConfiguration } from "./own-configuration.ts";
import { bundlePages, configurePages, filesNamedByScripts, readRoutesOf } from "./pages.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

/** Makes the Worker of a Pages project whose files lie in site/. */
function pagesOf(files: Readonly<Record<string, string | object>>): Promise<OwnConfiguration> {
  writeFiles(folder, files);
  const build: Partial<OwnAppBuild> = { note: () => {} };
  const own: Partial<OwnConfiguration> = { folder, isBundled: true };
  return bundlePages(build as OwnAppBuild, own as OwnConfiguration, "site");
}

test.each(["site/_worker.js", "site/_worker.js/index.js"])(
  "a project's own Worker is taken: %s",
  async (file) => {
    const routes = { version: 1, include: ["/api/*"], exclude: ["/api/no"] };
    const made = await pagesOf({ [file]: "export default {};", "site/_routes.json": routes });
    expect(join(made.folder, made.main ?? "")).toBe(join(folder, file));
    expect(made.isBundled).toBe(false);
    expect(made.assets?.run_worker_first).toEqual(["/api/*", "!/api/no"]);
  },
);

test.each([
  ["[]", /is not a _routes\.json of Cloudflare Pages: its content: /],
  ['{"version": 1, "include": "/api/*", "exclude": []}', /: include: /],
  ['{"version": 1, "include": ["api"], "exclude": []}', /: include\.0: .*"\/"/],
  ["{", /: it is no JSON/],
])("a _routes.json that the platform would not take is refused in one line: %s", async (text, words) => {
  const files = { "site/_worker.js": "export default {};", "site/_routes.json": text };
  await expect(pagesOf(files)).rejects.toThrow(words);
  expect(() => readRoutesOf(folder, join(folder, "site"))).toThrow(words);
});

test("of a _routes.json it is said what counts", () => {
  const routes = { version: 1, description: "mine", include: ["/*"], exclude: [], excludes: ["/a"] };
  writeFiles(folder, { "site/_routes.json": routes });
  expect(readRoutesOf(folder, join(folder, "site"))).toEqual([
    {
      file: "site/_routes.json",
      applied: ["include", "exclude"],
      notApplied: [{ what: "excludes", why: expect.stringContaining("no such key") }],
    },
  ]);
  expect(readRoutesOf(folder, folder)).toEqual([]);
});

test("a project of files alone is refused", async () => {
  await expect(pagesOf({ "site/index.html": "a page" })).rejects.toThrow(/nothing is computed/);
});

test("a project without a configuration gets one, of the files that its script names", async () => {
  const source = { packageJson: { scripts: { dev: "wrangler pages dev ./public" } } };
  await configurePages({ folder, source, note: () => {} } as unknown as OwnAppBuild);
  expect(await readOwnConfiguration(folder)).toMatchObject({ main: null, pagesOutput: "public" });
});

test.each([
  ["wrangler pages dev ./dist --compatibility-flags=nodejs_als", "dist"],
  ["npm run build && wrangler pages deploy build/client", "build/client"],
  ["wrangler pages dev --port 8788 -- vite", null],
  ["wrangler pages deploy", null],
  ["wrangler dev src/index.ts", null],
])("of a Pages project without a configuration the script %j names the files %j", (dev, files) => {
  expect(filesNamedByScripts({ packageJson: { scripts: { dev } } })).toBe(files);
});
