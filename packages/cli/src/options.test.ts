import { availableParallelism } from "node:os";
import { expect, test, vi } from "vitest";
import { createProgram, main } from "./main.ts";

test("every command that takes a number of workers takes it in the same way", async () => {
  const { commands } = await createProgram();
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
