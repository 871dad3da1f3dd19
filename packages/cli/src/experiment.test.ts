import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../evenbench.ts", import.meta.url));
const execute = promisify(execFile);

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "evenbench-claims-"));
});
afterAll(() => rm(out, { recursive: true }));

/** The real command, in a process of its own. */
async function evenbench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await execute(process.execPath, [CLI, ...args], { timeout: 50_000 })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test("without an id it lists the claims", async () => {
  const { code, stdout } = await evenbench("experiment");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^same-engine +Both platforms run V8/m);
  expect(stdout).toMatch(/^trig /m);
});

test("an experiment leaves its files and a table with the verdict", async () => {
  const { code, stdout, stderr } = await evenbench(
    "experiment",
    "price",
    "--no-build",
    "--time",
    "2s",
    "-o",
    out,
  );
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("1 claim: about 2 s on a quiet machine");
  expect(stdout).toMatch(/^price +\$0\.128 .*reproduced$/m);
  expect(stdout).toContain("V8 in workerd");
  const [name = ""] = (await readdir(out)).filter((entry) => !entry.startsWith("."));
  expect(stdout).toContain(join(out, name, "experiments.html"));
  const record = JSON.parse(await readFile(join(out, name, "experiments.json"), "utf8"));
  expect(record).toMatchObject({ status: "complete", timeMs: 2000, results: [{ id: "price" }] });
  // Gone on with, there is nothing left to measure.
  const resumed = await evenbench("experiment", "price", "--no-build", "--resume", join(out, name));
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain("0 claims");
  expect(resumed.stdout).toMatch(/^price +\$0\.128 .*reproduced$/m);
  // It is no run, and is taken for none.
  const report = await evenbench("report", "-o", out);
  expect([report.code, report.stderr]).toEqual([2, expect.stringContaining("There is no run in")]);
  expect((await evenbench("history", out)).stdout).not.toContain("left out");
});

test.each([
  [["trgi"], /no experiment "trgi"\. Did you mean "trig"\?/],
  [["trig", "--time", "soon"], /Give a duration such as "60s"/],
  [["trig", "--seed", "-1"], /whole number from 0 to/],
])("%j is refused with exit code 2 and a clear line", async (args, message) => {
  const { code, stderr } = await evenbench("experiment", ...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
