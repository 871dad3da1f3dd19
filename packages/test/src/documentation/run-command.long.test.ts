import { descendants, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

test("a command that nobody waits for any more is ended with what it has started", async () => {
  const over = new AbortController();
  const endless = `"${process.execPath}" --eval "setInterval(() => {}, 1000)" & wait`;
  const ended = runCommand(["sh", "-c", endless], {}, undefined, undefined, over.signal);
  // The shell and what it started.
  await expect.poll(() => descendants(process.pid).length).toBe(2);
  const below = descendants(process.pid);
  over.abort();
  expect((await ended).code).toBeNull();
  expect(await stillRunning(below)).toEqual([]);
});
