import { realpathSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { OwnAppBuild } from "@evenbench/core";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { linkPackages, packagesForProduction } from "./linked-packages.ts";

const root = testFolder();

const write = (folder: string, manifest: object) =>
  writeFiles(join(root, folder), { "package.json": manifest });

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
  expect(packagesForProduction(root, ["tool"])).toContain(join(root, "node_modules/tool"));
});

test("a member of a workspace finds its own packages, then those of the workspace", async () => {
  write("w/node_modules/@scope/of-root", {});
  write("w/node_modules/both", { name: "of the root" });
  write("w/apps/api/node_modules/both", { name: "of the member" });
  write("w/apps/api/node_modules/@scope/of-member", {});
  write("w/deployable/app", {});
  const workspace = join(root, "w");
  const build = { folder: join(workspace, "apps/api"), workspace } as OwnAppBuild;
  await linkPackages(build, join(workspace, "deployable"), { folder: join(workspace, "deployable/app") });
  const found = ["both", "@scope/of-root", "@scope/of-member"].map((name) =>
    relative(workspace, realpathSync(join(workspace, "deployable/app/node_modules", name))),
  );
  expect(found).toEqual([
    "apps/api/node_modules/both",
    "node_modules/@scope/of-root",
    "apps/api/node_modules/@scope/of-member",
  ]);
});
