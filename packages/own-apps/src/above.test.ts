import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { foundAbove } from "./above.ts";
import { readAppSource } from "./source.ts";

const root = testFolder();

const NEXT = { dependencies: { next: "16.4.6" } };

test.each([
  ["postcss.config.mjs", {}, true],
  [".postcssrc.json", {}, true],
  [".postcssrc.json", { postcss: {} }, false],
  [".browserslistrc", {}, true],
  [".browserslistrc", { browserslist: ["defaults"] }, false],
  ["tsconfig.json", {}, true],
  [".pnp.cjs", {}, true],
  ["package-lock.json", {}, false],
  ["package-lock.json", NEXT, true],
  ["pnpm-workspace.yaml", NEXT, true],
  // The app has its own, and Node.js and Babel look no further.
  ["package.json", NEXT, false],
  ["babel.config.js", {}, false],
  // The packages that the app names lie in its own.
  ["node_modules", NEXT, false],
])("above private copies %s is named for an app with %j: %s", async (name, packageJson, isNamed) => {
  const home = join(root, `${name} ${Object.keys(packageJson)}`);
  const builds = join(home, ".cache/evenbench/apps/shop");
  const app = join(home, "shop");
  for (const folder of [builds, app]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(home, name), "{}");
  writeFileSync(join(app, "package.json"), JSON.stringify(packageJson));
  const named = async () => foundAbove(builds, await readAppSource(app)).map(({ file }) => file);
  expect((await named()).filter((file) => file === `../${name}`)).toEqual(isNamed ? [`../${name}`] : []);
});

test("a file of tools that the app has itself is not named of a folder above", async () => {
  const home = join(root, "own");
  const builds = join(home, ".cache/evenbench/apps/shop");
  const app = join(home, "shop");
  for (const folder of [builds, app]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const file of [join(home, "tsconfig.json"), join(app, "tsconfig.json"), join(app, "package.json")]) {
    writeFileSync(file, "{}");
  }
  const files = foundAbove(builds, await readAppSource(app)).map(({ file }) => file);
  expect(files).not.toContain("../tsconfig.json");
});
