import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { foundAbove } from "./above.ts";
import { readAppSource } from "./source.ts";

const root = testFolder();

const BY_WEBPACK = { dependencies: { next: "^15.1.0" } };
const BY_FLAG = { dependencies: { next: "16.4.6" }, scripts: { build: "next build --webpack" } };

test.each([
  ["postcss.config.mjs", BY_WEBPACK, true],
  [".postcssrc.json", BY_FLAG, true],
  [".postcssrc.json", { ...BY_FLAG, postcss: {} }, false],
  [".postcssrc", BY_FLAG, false],
  ["postcss.config.mjs", { dependencies: { next: "16.4.6" } }, false],
  ["postcss.config.mjs", { dependencies: { vite: "8.3.8" } }, false],
])("above private copies %s is named for an app with %j: %s", async (name, packageJson, isNamed) => {
  const home = join(root, `${name} ${JSON.stringify(packageJson).length}`);
  const builds = join(home, ".cache/evenbench/apps/shop");
  const app = join(home, "shop");
  mkdirSync(builds, { recursive: true });
  writeFiles(home, { [name]: "{}", "shop/package.json": packageJson });
  const named = async () => foundAbove(builds, await readAppSource(app)).map(({ file }) => file);
  expect(await named()).toEqual(isNamed ? [`../${name}`] : []);
  writeFiles(app, { "postcss.config.mjs": "export default { plugins: [] };\n" });
  expect(await named()).toEqual([]);
});
