import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { evenbench, runIn, start, succeeded, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();

test("without an id it lists the claims, with --json as one document", async () => {
  const { code, stdout } = await evenbench("experiment");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^same-engine +Both platforms run V8/m);
  const listed = JSON.parse((await evenbench("experiment", "--json")).stdout);
  expect(listed).toContainEqual({ id: "trig", claim: expect.any(String) });
});

test("an experiment leaves its files and a table with the verdict", async () => {
  const out = at("claims");
  const { stdout, stderr } = await succeeded(
    start(words`experiment price --no-build --time 2s -o ${out}`).ended,
  );
  expect(stderr).toContain("1 claim: about 2 s on a quiet machine");
  expect(stdout).toMatch(/^price +\$0\.128 .*reproduced$/m);
  expect(stdout).toContain("V8 in workerd");
  const folder = await runIn(out);
  expect(stdout).toContain(`${folder}/experiments.html`);
  const record = JSON.parse(await readFile(`${folder}/experiments.json`, "utf8"));
  expect(record).toMatchObject({ status: "complete", timeMs: 2000, results: [{ id: "price" }] });
  // It is no run, and is taken for none.
  const report = await evenbench("report", "-o", out);
  expect([report.code, report.stderr]).toEqual([2, expect.stringContaining("There is no run in")]);
  expect((await evenbench("history", out)).stdout).not.toContain("left out");
});
