// The commands of README.md and docs/ that hold a run against the bench itself.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import {
  makeFolderIn,
  SMALL_RUN,
  surroundingsIn,
  testCommands,
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

testCommands(
  waysApart("studies"),
  () => around,
  () => ({ variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder } }),
);
