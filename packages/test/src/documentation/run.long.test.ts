// Every command of README.md and docs/ is run, each in one of the ways of ways.ts. Those that take long: the
// other files run-*.process.test.ts.
import { existsSync } from "node:fs";
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
  SMALL_RUN,
  surroundingsIn,
} from "../../test/documentation/documented.ts";
import { NOT_RUN, type Surroundings, WAYS, waysApart, waysOf, whyNotRun } from "./ways.ts";

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
  for (const { apart } of WAYS.filter((way) => way.apart !== undefined))
    expect(existsSync(join(import.meta.dirname, `run-${apart}.process.test.ts`)), apart).toBe(true);
});

let folder: string;
let around: Surroundings;
let repository: ScratchRepository;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-documented-"));
  const places = surroundingsIn(folder);
  await writePlanFolder(places.vantages, [{ vantage: "eu" }, { vantage: "us", routeMs: 80 }]);
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
