import { descendants, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

test("a command that nobody waits for any more is ended with what it has started", async () => {
  const over = new AbortController();
  const ended = runCommand(["sh", "-c", "sleep 600 & wait"], {}, undefined, undefined, over.signal);
  // The shell and its sleep.
  await expect.poll(() => descendants(process.pid).length).toBe(2);
  const below = descendants(process.pid);
  over.abort();
  expect((await ended).code).toBeNull();
  expect(await stillRunning(below)).toEqual([]);
});
