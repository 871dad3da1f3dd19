import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Loads nothing, but does what a file's top level may do while it is watched. */
function load(topLevel: string, limitMs: number): ReturnType<typeof spawnSync> {
  const module = JSON.stringify(import.meta.resolve("./loading-watch.ts"));
  const script = `const { watchLoading } = await import(${module});
const watch = watchLoading(${limitMs});
watch.begin("apps/x/app.ts");
${topLevel}
watch[Symbol.dispose]();
console.log("loaded");`;
  const options = ["--input-type=module", "--eval", script];
  return spawnSync(process.execPath, options, { encoding: "utf8", timeout: 30_000 });
}

test.each([
  ["loops", "for (;;);"],
  ["waits for ever", "await new Promise((resolve) => setTimeout(resolve, 2 ** 30));"],
])("a file that %s while it is loaded is named, and ends the process", (_, topLevel) => {
  const { signal, stderr, stdout } = load(topLevel, 500);
  expect(signal).toBe("SIGKILL");
  expect(stderr).toBe(
    "evenbench: apps/x/app.ts cannot be loaded: its top level did not end within 0.5 s. Mend it, or move it away.\n",
  );
  expect(stdout).toBe("");
});

test("a watch that is over holds nothing up", () => {
  const { status, stderr, stdout } = load("", 60_000);
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "loaded\n" });
});
