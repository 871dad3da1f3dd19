import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../evenbench.ts", import.meta.url));

test.skipIf(!existsSync("/dev/full"))(
  "a full disk behind the output is one line, and exit code 1",
  async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [CLI, "run", "--help"], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr as Readable)]);
    expect(said).toBe("evenbench: the output cannot be written (ENOSPC). Files are still written.\n");
    expect(code).toBe(1);
  },
);

test("a reader that leaves early, as head does, is no failure", async () => {
  const child = spawn(process.execPath, [CLI, "run", "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  expect(said).toBe("");
  expect(code).toBe(0);
});
