// The commands of README.md that deploy, and that measure what is deployed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScratchRepository, scratchRepository } from "@evenbench/cli/create/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { commandsOf, expectToWork, install, surroundingsIn } from "../../test/documentation/documented.ts";
import { type Platforms, startPlatforms } from "../../test/documentation/platforms.ts";
import { waysApart } from "./ways.ts";

let folder: string;
let deployed: ScratchRepository;
let platforms: Platforms;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  await install();
  deployed = await scratchRepository();
  platforms = await startPlatforms(deployed.root);
});
afterAll(async () => {
  await platforms?.[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe.each(waysApart("deployed"))("$name", (way) => {
  test.each(commandsOf(way))("%s (%s)", (_command, _place, words) =>
    expectToWork(
      way,
      words,
      { ...surroundingsIn(folder), run: "" },
      {
        variables: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, ...platforms.environment },
        root: deployed.root,
      },
    ),
  );
});
