import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "@evenbench/host/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildBase } from "./build-base.ts";

/**
 * What stands for the door of a checkout: it starts a step of a build, in a process group of its own as steps
 * have it.
 */
const DOOR = `
import { spawn } from "node:child_process";
const options = { stdio: "ignore", detached: true };
spawn(process.execPath, [new URL("step.mjs", import.meta.url).pathname], options);
setInterval(() => {}, 1000);
`;
/** Writes as long as it runs, and for a while after it was told to end. */
const STEP = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("written");
let files = 0;
setInterval(() => writeFileSync(\`written/\${files++}\`, ""), 5);
process.on("SIGTERM", () => setTimeout(() => { writeFileSync("ended", ""); process.exit(); }, 300));
writeFileSync("pid", String(process.pid));
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-base-"));
  await mkdir(join(folder, "packages/setup"), { recursive: true });
  await writeFile(join(folder, "packages/setup/start.mjs"), DOOR);
  await writeFile(join(folder, "packages/setup/step.mjs"), STEP);
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

const contentOf = (name: string) => {
  try {
    return readFileSync(join(folder, name), "utf8");
  } catch {
    return null;
  }
};
const base = () => ({ folder, commit: "0123456789abcdef", [Symbol.asyncDispose]: async () => {} });

test("an interrupted build is over, with all its steps, when that is told", async () => {
  const interruption = new AbortController();
  const building = buildBase(base(), ["node"], interruption.signal);
  const failed = expect(building).rejects.toThrow("aborted");
  await expect.poll(() => contentOf("pid")).toMatch(/^\d+$/);
  const step = Number(contentOf("pid"));
  try {
    interruption.abort();
    await failed;
    expect(isRunning(step)).toBe(false);
    // It was asked to end, and had the time to do so.
    expect(contentOf("ended")).toBe("");
  } finally {
    if (isRunning(step)) process.kill(step, "SIGKILL");
  }
});

test("what is interrupted before is not started", async () => {
  await expect(buildBase(base(), ["node"], AbortSignal.abort())).rejects.toThrow("aborted");
  expect(contentOf("pid")).toBeNull();
});
