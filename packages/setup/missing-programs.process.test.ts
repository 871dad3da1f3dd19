// On a machine with Node.js and nothing else the suite passes, and says what it skipped and why.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-bare-"));
  await mkdir(join(folder, "bin"));
  await symlink(process.execPath, join(folder, "bin/node"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The suite, or some files of it, where no other program is found than Node.js. */
function suite(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: join(folder, "bin"), NO_COLOR: "1" };
  return promisify(execFile)(process.execPath, [VITEST, "run", ...args], { env });
}

test("tests of a service or in a browser that is not installed are skipped, counted, with the command that installs it", async () => {
  const { stdout } = await suite("packages/host/src/services", "packages/profile/src/render");
  expect(stdout).toMatch(
    /^\d+ skipped: memcached is not installed\. Install it with: apt-get install memcached$/m,
  );
  expect(stdout).toMatch(
    /^\d+ skipped: chromium is not installed\. Install it with: apt-get install chromium/m,
  );
  expect(stdout).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);
});

test("targets list a case whose service is not installed like all others", async () => {
  const { stdout } = await suite("packages/test/src/conformance/targets.process.test.ts", "-t", "lists");
  expect(stdout).toMatch(/^\d+ skipped: memcached is not installed/m);
  expect(stdout).toMatch(/\n[1-9]\d* passed, 0 failed, \d+ skipped\n$/);
});
