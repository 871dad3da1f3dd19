import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { createProgram } from "./main.ts";

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
