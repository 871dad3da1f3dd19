import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { OwnAppBuild } from "@evenbench/core";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { buildMembers } from "./members.ts";
import { readAppSource } from "./source.ts";

const root = testFolder();

const run: OwnAppBuild["run"] = async (_name, [file, ...args], { cwd, env } = {}) =>
  void execFileSync(file, args, { cwd, env: { ...process.env, ...env } });

test("members that an app is made of are built first, each behind its own, and only where a module of theirs is not there", async () => {
  const build = (what: string) => `node -e "require('fs').cpSync('${what}', 'index.js')"`;
  writeFiles(root, {
    "package.json": { workspaces: ["apps/*", "packages/*"] },
    "apps/web/package.json": { dependencies: { "@own/ui": "*", "@own/bare": "*", "@own/odd": "*" } },
    "packages/ui/package.json": {
      main: "./index.js",
      scripts: { build: build("../base/index.js") },
      dependencies: { "@own/base": "*" },
    },
    "packages/base/package.json": {
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      scripts: { build: build("source.txt") },
    },
    "packages/base/source.txt": "1",
    "packages/bare/package.json": { main: "dist/bare.js" },
    "packages/odd/package.json": { scripts: ["build"] },
  });
  mkdirSync(join(root, "node_modules/@own"), { recursive: true });
  for (const name of ["ui", "base", "bare", "odd"]) {
    symlinkSync(`../../packages/${name}`, join(root, "node_modules/@own", name));
  }
  const notes: string[] = [];
  const source = await readAppSource(join(root, "apps/web"));
  const steps = { run, note: (sentence: string) => void notes.push(sentence) };
  await buildMembers(source, steps);
  expect(readFileSync(join(root, "packages/ui/index.js"), "utf8")).toBe("1");
  expect(notes).toHaveLength(4);
  expect(notes[2]).toContain("packages/bare");
  expect(notes[3]).toMatch(/packages\/odd\/package\.json .*scripts: /);
  await buildMembers(source, steps);
  expect(notes).toHaveLength(6);
});
