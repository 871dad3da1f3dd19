import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the slowest files stand at the end, before the closing line, which is the last one", async () => {
  const files = ["packages/stats/src/random.test.ts", "packages/core/src/mask.test.ts"];
  const { stdout } = await promisify(execFile)("vitest", ["run", ...files], {
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  });
  const [, slowest = ""] = stdout.split("The slowest of 2 test files:\n");
  for (const file of files) expect(slowest).toMatch(new RegExp(`^ +\\d+\\.\\d s  ${file}$`, "m"));
  expect(slowest).toMatch(/all files added up, run in \d+\.\d s\n\n[1-9]\d* passed, 0 failed, 0 skipped\n$/);
});
