// The commands of README.md that hold the checkout against another state of it, which they install and build.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host";
import { afterAll, beforeAll, describe, test } from "vitest";
import { commandsOf, expectToWork, install, surroundingsIn } from "../../test/documentation/documented.ts";
import { waysApart } from "./ways.ts";

let folder: string;
let store: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  await install();
  const pnpm = join(repositoryRoot, "node_modules/.bin/pnpm");
  store = (await promisify(execFile)(pnpm, ["store", "path"], { cwd: repositoryRoot })).stdout.trim();
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(waysApart("against"))("$name", (way) => {
  test.each(commandsOf(way))("%s (%s)", (_command, _place, words) =>
    expectToWork(
      way,
      words,
      { ...surroundingsIn(folder), run: "" },
      {
        // In another home pnpm has another store, into which it would download every package again.
        variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, npm_config_store_dir: store },
      },
    ),
  );
});
