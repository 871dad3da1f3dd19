import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stillRunning } from "@evenbench/host/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-step-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Says its pid, and goes on for ever; it leaves what a terminal asks of it to others. */
const ENDLESS = `require("node:fs").writeFileSync("pid", String(process.pid));
process.on("SIGINT", () => {});
setInterval(() => {}, 1000);`;

/** A build whose only step is that, and that ends itself where a line comes in. */
const BUILD = `import { runStep } from ${JSON.stringify(import.meta.resolve("./run-step.ts"))};
process.stdin.once("data", () => process.exit(3));
await runStep("endless", [process.execPath, "--eval", ${JSON.stringify(ENDLESS)}], null, { cwd: "." });`;

async function pidOfStep(): Promise<number> {
  await expect.poll(() => readFile(join(folder, "pid"), "utf8").catch(() => "")).toMatch(/^\d+$/);
  return Number(await readFile(join(folder, "pid"), "utf8"));
}

test.each([
  { ending: "Ctrl-C", end: (build: ReturnType<typeof startBuild>) => build.kill("SIGINT") },
  { ending: "SIGTERM", end: (build: ReturnType<typeof startBuild>) => build.kill("SIGTERM") },
  { ending: "its own exit", end: (build: ReturnType<typeof startBuild>) => build.stdin.write("now\n") },
])("no step of a build outlives it when it ends by $ending", async ({ end }) => {
  const build = startBuild();
  const pid = await pidOfStep();
  const ended = once(build, "exit");
  end(build);
  const [code] = await ended;
  expect(code).not.toBe(0);
  expect(await stillRunning([pid])).toEqual([]);
});

function startBuild() {
  return spawn(process.execPath, ["--input-type=module", "--eval", BUILD], {
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
}
