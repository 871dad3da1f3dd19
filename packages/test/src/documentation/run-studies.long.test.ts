// The commands of README.md and docs/ that hold a run against the bench itself.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  around = { ...places, run: await makeFolderIn(places.results, SMALL_RUN) };
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(waysApart("studies"))("$name", (way) => {
  test.each(commandsOf(way))("%s (%s)", (_command, _place, words) =>
    expectToWork(way, words, around, { variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder } }),
  );
});
