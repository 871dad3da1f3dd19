import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, onTestFinished, test, vi } from "vitest";
import { toolRunner } from "./run-tool.ts";

const SILENT_FOR_MS = 3000;
let folder = "";
folderOfEachTest((made) => {
  folder = made;
});

/**
 * Runs a tool that says a number, and the next one after each `answer`, up to three. The time that it may be silent runs
 * by a clock of the test.
 */
function start() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const script = `for n in 1 2 3; do echo $n; touch said.$n; until [ -e go.$n ]; do sleep 0.02; done; done`;
  const run = toolRunner(new AbortController().signal, SILENT_FOR_MS);
  const ended = run({ name: "a tool", command: ["sh", "-c", script], cwd: folder }).then(
    (said) => said,
    (error: Error) => error.message,
  );
  return {
    ended,
    async heard(n: number) {
      while (!existsSync(join(folder, `said.${n}`))) {
        await delay(20);
      }
      // What is in the pipe is read between two immediates.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    },
    answer: (n: number) => writeFileSync(join(folder, `go.${n}`), ""),
  };
}

test("a tool that works for long is waited for as long as it says something", async () => {
  const tool = start();
  for (const n of [1, 2, 3]) {
    await tool.heard(n);
    vi.advanceTimersByTime(SILENT_FOR_MS - 1);
    tool.answer(n);
  }
  expect(await tool.ended).toBe("1\n2\n3\n");
});

test("a tool that says nothing for too long is ended, and told so with its last words", async () => {
  const tool = start();
  await tool.heard(1);
  vi.advanceTimersByTime(SILENT_FOR_MS);
  expect(await tool.ended).toBe("a tool said nothing for 3 s, and was ended:\n1");
});
