import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../evenbench.ts", import.meta.url));

test("a reader that leaves early, as head does, is no failure", async () => {
  const child = spawn(process.execPath, [CLI, "run", "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  expect(said).toBe("");
  expect(code).toBe(0);
});
