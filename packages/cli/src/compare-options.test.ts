import { Command } from "commander";
import { expect, test } from "vitest";
import addCompareCommand from "./commands/compare.ts";
import { parseFailOn } from "./fail-on.ts";

function compareCommand() {
  const program = new Command("evenbench");
  addCompareCommand(program, { code: 0 });
  const [compare] = program.commands;
  if (compare === undefined) throw new Error("There is no command compare.");
  const parse = (...words: string[]) =>
    program.parseAsync(["compare", "no-run", "no-other", ...words], { from: "user" });
  return { compare, parse };
}

test.each([
  ["--case", "empty"],
  ["--suite", "all"],
  ["--time", "1s"],
  ["--seed", "1"],
  ["--allow", "artifact"],
  ["--out", "elsewhere"],
  ["--target", "node"],
  ["--app", "bundle"],
  ["--where", "deployed"],
  ["--token-for", "worker.example.test"],
  ["--deployments", "file.json"],
  ["--no-build"],
])("%s says how builds are measured, so two runs are not compared with it", async (...words) => {
  await expect(compareCommand().parse(...words)).rejects.toThrow(
    `${words[0]} is for two builds. Add --builds`,
  );
});

test("a condition names a verdict and a percentage", () => {
  expect(parseFailOn("slower 5%")).toEqual({ verdict: "slower", by: 0.05 });
  expect(parseFailOn(" faster  2.5 % ")).toEqual({ verdict: "faster", by: 0.025 });
  for (const text of ["slower", "slower 5", "somewhat slower 5%"])
    expect(() => parseFailOn(text)).toThrow(/such as/);
});
