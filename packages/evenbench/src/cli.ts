#!/usr/bin/env node
import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

// From Node.js 22.1 on. Nothing that is measured gets it: it goes to no other process.
nodeModule.enableCompileCache?.();

/** What starts the command of a clone: it installs what is missing first. */
const DOOR = join("packages", "setup", "start.mjs");
const MARKS = [DOOR, join("packages", "cli", "evenbench.ts")];

const door = findDoor(process.cwd());
if (door === null) {
  const { main, surviveClosedPipes } = await import("@evenbench/cli");
  surviveClosedPipes();
  process.exitCode = await main(process.argv.slice(2));
} else {
  // In a clone or a fork, its own command has the word.
  process.argv.splice(1, 1, door, "bench");
  await import(pathToFileURL(door).href);
}

function findDoor(folder: string): string | null {
  if (MARKS.every((mark) => existsSync(join(folder, mark)))) return join(folder, DOOR);
  const parent = dirname(folder);
  return parent === folder ? null : findDoor(parent);
}
