import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { beforeAll, expect, test } from "vitest";
import { evenbench, testFolder } from "../../test/evenbench.ts";

const at = testFolder();
let before: string;
let interrupted: string;
beforeAll(async () => {
  before = await writeSyntheticRun(at(), { rounds: 20 });
  interrupted = await writeSyntheticRun(at(), { rounds: 20, slower: 1.5, status: "interrupted" });
});

const compare = (...args: string[]) => evenbench("compare", ...args);
const condition = ["--fail-on", "slower 5%"];

test("a condition on runs that give no verdict does not pass, and says why; asked for all the same, it acts", async () => {
  const refused = await compare(before, interrupted, ...condition);
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain("It was interrupted.");
  expect(refused.stderr).toContain("--fail-on has no verdict to act on");
  expect(refused.stderr).not.toContain("is slower");
  // What it would not have failed on is no success either.
  expect((await compare(interrupted, before, ...condition)).code).toBe(3);
  const asked = await compare(before, interrupted, ...condition, "--anyway");
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain("vercel is slower in trig: 1.500×");
  expect(asked.stdout).toContain("It was interrupted.");
  expect(await compare(interrupted, before, ...condition, "--anyway")).toMatchObject({ code: 0, stderr: "" });
});
