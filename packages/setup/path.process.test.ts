import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test.each([
  ['a "b"', "bench", 'with " in its name'],
  ["a\\b", "test", "with \\ in its name"],
  ['a\\"b', "build", 'with " or \\ in its name'],
])(
  "in a folder named %s, `npm run %s` ends with one line before it installs anything",
  (name, task, words) => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "evenbench-path-")));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const clone = join(place, name);
    mkdirSync(join(clone, "apps"), { recursive: true });
    for (const file of ["door.cjs", "start.mjs", "tasks.mjs", "toolchain.mjs", "install.mjs", "run.mjs"]) {
      cpSync(join(import.meta.dirname, file), join(clone, "packages/setup", file));
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, ["packages/setup/door.cjs", task], {
      cwd: clone,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain(
      `Move the clone to another folder, and run the command again: it lies in ${clone}`,
    );
    expect(readdirSync(clone).sort()).toEqual(["apps", "packages"]);
  },
);

test("in a folder that was removed, the door ends with one line", () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "evenbench-path-")));
  const door = join(import.meta.dirname, "door.cjs");
  const inRemoved = 'cd "$0" && rmdir "$0" && exec "$1" "$2" bench';
  const { status, stderr } = spawnSync("sh", ["-c", inRemoved, place, process.execPath, door], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^evenbench: The current folder was removed\..*\n$/),
  ]);
});
