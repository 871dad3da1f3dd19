import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { foundAbove } from "./above.ts";

const root = testFolder();

test.each([
  ["package.json", true],
  ["package-lock.json", true],
  ["pnpm-workspace.yaml", true],
  ["postcss.config.mjs", true],
  [".postcssrc.json", true],
  [".browserslistrc", true],
  ["babel.config.js", true],
  ["tsconfig.json", true],
  [".pnp.cjs", true],
  ["node_modules", true],
  ["notes.txt", false],
  ["package.json.orig", false],
])("above private copies %s is named: %s", (name, isNamed) => {
  const home = join(root, name, "home");
  const builds = join(home, ".cache/evenbench/apps/shop");
  const app = join(home, "shop");
  for (const folder of [builds, app]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(home, name), "");
  // Beside the app, and not above the copies.
  writeFileSync(join(app, name), "");
  const files = foundAbove(builds, app).map(({ file }) => file);
  expect(files.filter((file) => file === `../${name}`)).toEqual(isNamed ? [`../${name}`] : []);
  expect(files).not.toContain(name);
});
