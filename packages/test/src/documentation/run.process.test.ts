// Every command of README.md and docs/ is run, each in one of the ways of ways.ts. Those that measure: run-measuring.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScratchRepository, scratchRepository } from "@evenbench/cli/create/testing";
import { writePlanFolder } from "@evenbench/vantages/testing/logs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  commands,
  commandsOf,
  expectToWork,
  makeFolderIn,
  surroundingsIn,
} from "../../test/documentation/documented.ts";
import { type Platforms, startPlatforms } from "../../test/documentation/platforms.ts";
import { MEASURING_WAY, NOT_RUN, type Surroundings, WAYS, type Way, waysOf, whyNotRun } from "./ways.ts";

test.each(commands.map(({ place, words }) => [words.join(" "), place, words] as const))(
  "%s (%s) is run in one way, or it is said why it is not",
  (_command, _place, words) => {
    expect(waysOf(words).length + (whyNotRun(words) === null ? 0 : 1)).toBe(1);
  },
);

test("no way and no reason is left over", () => {
  expect(WAYS.filter((way) => !commands.some(({ words }) => waysOf(words).includes(way)))).toEqual([]);
  const reasons = new Set(commands.map(({ words }) => whyNotRun(words)));
  for (const reason of Object.values(NOT_RUN)) expect(reasons).toContain(reason);
});

let folder: string;
let around: Surroundings;
let repository: ScratchRepository;
let deployed: ScratchRepository;
let platforms: Platforms;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  await writePlanFolder(places.vantages, [{ vantage: "eu" }, { vantage: "us", routeMs: 80 }]);
  // Through the door: what is not installed yet is, before any command has another home than the user's.
  const first = ["npm", "run", "bench", "--", "--no-build", "--case", "empty", "--app", "bundle"];
  around = { ...places, run: await makeFolderIn(places.results, [...first, "--time", "1s"]) };
  repository = await scratchRepository();
  deployed = await scratchRepository();
  platforms = await startPlatforms(deployed.root);
});
afterAll(async () => {
  await platforms?.[Symbol.asyncDispose]();
  await deployed?.[Symbol.asyncDispose]();
  await repository?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** A home that is not the user's, and where the platforms' tools find their APIs. */
function variables(way: Way): Record<string, string> {
  const homes = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  return way.inScratchRepository === "with platforms" ? { ...homes, ...platforms.environment } : homes;
}

const ways = WAYS.filter((way) => way !== MEASURING_WAY);
describe.each(ways)("$name", (way) => {
  test.each(commandsOf(way))(
    "%s (%s)",
    (_command, _place, words) =>
      expectToWork(way, words, around, {
        variables: variables(way),
        ...(way.inScratchRepository === true ? { cliOf: repository.root } : {}),
        ...(way.inScratchRepository === "with platforms" ? { root: deployed.root } : {}),
      }),
    // A deployment builds anew.
    way.inScratchRepository === "with platforms" ? 300_000 : 120_000,
  );
});
