import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { packagesForProduction } from "./linked-packages.ts";

const root = testFolder();

function write(folder: string, manifest: object): void {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, "package.json"), JSON.stringify(manifest));
}

test("packages for production are those that dependencies lead to, each once, without those for development", () => {
  write("", { dependencies: { a: "1", linked: "1" }, devDependencies: { tool: "1" } });
  write("node_modules/a", { dependencies: { b: "1", nested: "1" }, peerDependencies: { a: "1", gone: "1" } });
  write("node_modules/a/node_modules/nested", {});
  write("node_modules/b", { optionalDependencies: { a: "1" } });
  write("node_modules/tool", {});
  write("node_modules/.pnpm/linked@1/node_modules/linked", { dependencies: { deep: "1" } });
  write("node_modules/.pnpm/linked@1/node_modules/deep", {});
  symlinkSync(".pnpm/linked@1/node_modules/linked", join(root, "node_modules/linked"));
  const found = packagesForProduction(root).map((folder) => relative(join(root, "node_modules"), folder));
  const inStore = ".pnpm/linked@1/node_modules/";
  expect(found.toSorted()).toEqual([`${inStore}deep`, `${inStore}linked`, "a", "b"]);
});
