import { availableParallelism } from "node:os";
import { Command } from "@commander-js/extra-typings";
import { expect, test, vi } from "vitest";
import addCompareCommand from "./commands/compare.ts";
import { createProgram, main } from "./main.ts";

test("every command that takes a number of workers takes it in the same way", async () => {
  const { commands } = await createProgram({ code: 0 });
  const taken = commands.flatMap((command) =>
    command.options
      .filter(({ long }) => long === "--workers")
      .map(({ parseArg, defaultValue }) => [
        command.name(),
        defaultValue,
        parseArg?.("max", undefined),
        parseArg?.("3", undefined),
      ]),
  );
  const cores = availableParallelism();
  expect(taken.toSorted()).toEqual(["load", "run", "serve"].map((name) => [name, 1, cores, 3]));
});

test.each([
  ["site", "results", "--out", ""],
  ["run", "--out="],
  ["report", ""],
  ["vantages", "plan", "--out", ""],
  ["deploy", "all", "--deployments", ""],
])("an empty word is refused: %s %j %j", async (...words) => {
  const said = vi.spyOn(console, "error").mockReturnValue();
  expect(await main(words)).toBe(2);
  expect(said.mock.lastCall?.[0]).toContain("is empty");
  said.mockRestore();
});

test("what says how builds are measured does not compare two runs", async () => {
  const given =
    "--case empty|--suite all|--time 1s|--seed 1|--allow artifact|--out elsewhere|--target node|--app bundle|--where deployed|--token-for worker.example.test|--deployments file.json|--no-build";
  for (const option of given.split("|")) {
    const program = new Command("evenbench");
    addCompareCommand(program, { code: 0 });
    const asked = ["compare", "no-run", "no-other", ...option.split(" ")];
    const flag = option.split(" ")[0];
    await expect(program.parseAsync(asked, { from: "user" })).rejects.toThrow(
      `${flag} is for two builds. Add --builds`,
    );
  }
});
