// The commands of README.md and docs/ that measure, each for a second.
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
import { MEASURING_WAY, type Surroundings } from "./ways.ts";

let folder: string;
let around: Surroundings;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  const cheap = ["evenbench", "experiment", "price", "--no-build", "--time", "1s"];
  around = { ...places, run: "", claims: await makeFolderIn(places.claims, cheap) };
});
afterAll(() => rm(folder, { recursive: true }));

describe(MEASURING_WAY.name, () => {
  test.each(commandsOf(MEASURING_WAY))(
    "%s (%s)",
    async (_command, _place, words) => {
      await expectToWork(MEASURING_WAY, words, around, {
        variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
      });
    },
    120_000,
  );
});
