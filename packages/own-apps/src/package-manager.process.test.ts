import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeEach, expect, test, vi } from "vitest";
import { callableManager } from "./package-manager.ts";

const root = testFolder();

/** Writes a program into a folder that says its version. */
function writeProgram(folder: string, version: string): void {
  writeFiles(folder, { pnpm: `#!/bin/sh\necho ${version}\n` });
  chmodSync(join(folder, "pnpm"), 0o700);
}

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"));
  writeProgram(join(root, "bin"), "10.34.9");
  vi.stubEnv("PATH", `${join(root, "bin")}:${process.env.PATH}`);
});

test.skipIf(process.platform === "win32").each([
  ["this machine's, where nothing else is asked for", null, "", "10.34.9", null],
  ["this machine's, in the version that is pinned", "10.34.9", "", "10.34.9", null],
  ["another one that is pinned, fetched once", "9.1.0", "", "9.1.0", "pnpm@9.1.0"],
  ["one that takes the lock file", null, "lockfileVersion: '6.0'\n", "8.15.9", "pnpm@8.15.9"],
])("a package manager is %s", async (what, managerVersion, lock, version, fetched) => {
  const folder = writeFiles(join(root, what), { "pnpm-lock.yaml": lock });
  const asked: string[] = [];
  const source = { root: folder, packageManager: "pnpm", managerVersion } as const;
  // The registry's part.
  const run = async (command: readonly string[]) => {
    asked.push(command.at(-1) ?? "");
    writeProgram(join(command[3] ?? "", "node_modules/.bin"), version);
  };
  const found = await callableManager(source, run);
  expect(await callableManager(source, run)).toEqual(found);
  expect(found.version).toBe(version);
  expect(asked).toEqual(fetched === null ? [] : [fetched]);
  expect(found.folder === null).toBe(fetched === null);
  expect(found.folder === null || existsSync(join(dirname(found.folder), ".bin/pnpm"))).toBe(true);
});
