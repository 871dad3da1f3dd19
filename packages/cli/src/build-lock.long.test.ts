import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { exclusively } from "@evenbench/host/exclusively";
import { expect, test } from "vitest";
import { succeeded, testFolder, words } from "../test/evenbench.ts";
import { scratchRepository } from "../test/scratch-repository.ts";
import { BUILD_LOCK } from "./build-lock.ts";

testFolder();

/** Until a stream has said a line. */
function heard(stream: Readable, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      if (text.includes(line)) {
        resolve();
      }
    });
    stream.once("end", () => reject(new Error(`It ended without saying "${line}":\n${text}`)));
  });
}

test("commands that build at the same time take turns, say for whom they wait, and all end well", async () => {
  await using scratch = await scratchRepository();
  await appendFile(join(scratch.root, "packages/cases/trig/case.ts"), "// Changed.\n");
  const preflight = () => scratch.start(...words`preflight --target node --case trig`);
  const both = await exclusively(join(scratch.root, BUILD_LOCK), async () => {
    const commands = [preflight(), preflight()];
    const line = `Another build of this clone is running (pid ${process.pid}); waiting.`;
    await Promise.all(commands.map(({ child }) => heard(child.stderr, line)));
    return commands;
  });
  for (const { ended } of both) {
    expect((await succeeded(ended)).stdout).toContain("Preflight passed");
  }
});
