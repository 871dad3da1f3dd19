// The commands of README.md that measure, each for a second.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import {
  commandsOf,
  expectToWork,
  makeFolderIn,
  surroundingsIn,
} from "../../test/documentation/documented.ts";
import { type Surroundings, waysApart } from "./ways.ts";

let folder: string;
let around: Surroundings;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  const cheap = ["evenbench", "experiment", "price", "--no-build", "--time", "1s"];
  around = { ...places, run: "", claims: await makeFolderIn(places.claims, cheap) };
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(waysApart("measuring"))("$name", (way) => {
  test.each(commandsOf(way))("%s (%s)", (_command, _place, words) =>
    expectToWork(way, words, around, { variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder } }),
  );
});
