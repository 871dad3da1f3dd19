import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { UserError } from "@evenbench/core";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { afterEach, expect, test, vi } from "vitest";
import { watchSources } from "./watch.ts";

const NAMES = ["a.ts", "b.ts", "c.ts"];

let folder: string;
folderOfEachTest((made) => {
  folder = made;
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const writeAll = () => {
  for (const name of NAMES) writeFileSync(join(folder, name), "");
};

function watchNothing(code: string): void {
  vi.spyOn(fs, "watch").mockImplementation(() => {
    throw Object.assign(new Error(`${code}: watch`), { code, syscall: "watch" });
  });
  syncBuiltinESMExports();
}

test.each([
  ["ENOSPC", "fs.inotify.max_user_watches"],
  ["EMFILE", "fs.inotify.max_user_instances"],
  ["EIO", "EIO: watch"],
])("files that cannot be watched (%s) are one error that names %s", async (code, limit) => {
  writeAll();
  watchNothing(code);
  const error = await watchSources([folder], vi.fn(), vi.fn()).catch((reason) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message).toContain(limit);
  expect(error.message).not.toContain("\n");
});

test("files that cannot be watched later are told in one line, and changes are taken up as before", async () => {
  const changed = new Set<string>();
  const lines: string[] = [];
  const end = await watchSources(
    [folder],
    (files) => {
      for (const file of files) changed.add(basename(file));
    },
    (line) => lines.push(line),
  );
  try {
    watchNothing("ENOSPC");
    writeAll();
    await expect.poll(() => [...changed].sort()).toEqual(NAMES);
    expect(lines).toEqual([expect.stringContaining("fs.inotify.max_user_watches")]);
  } finally {
    await end();
  }
});
