// The commands of README.md are run as typed, each in one of the ways of ways.ts. Those that take long: the
// other files run-*.long.test.ts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScratchRepository, scratchRepository } from "@evenbench/cli/create/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  commandsOf,
  expectToWork,
  makeFolderIn,
  SMALL_RUN,
  surroundingsIn,
} from "../../test/documentation/documented.ts";
import { type Surroundings, waysApart } from "./ways.ts";

let folder: string;
let around: Surroundings;
let repository: ScratchRepository;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  around = { ...places, run: await makeFolderIn(places.results, SMALL_RUN) };
  repository = await scratchRepository();
});
afterAll(async () => {
  await repository?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe.each(waysApart())("$name", (way) => {
  test.each(commandsOf(way))("%s (%s)", (_command, _place, words) =>
    expectToWork(way, words, around, {
      variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
      ...(way.inScratchRepository === true ? { cliOf: repository.root } : {}),
    }),
  );
});
