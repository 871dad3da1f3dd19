#!/usr/bin/env node
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";

// From Node.js 22.1 on. Nothing that is measured gets it: it goes to no other process.
nodeModule.enableCompileCache?.();

type Ended = [code: number | null, signal: NodeJS.Signals | null];

/** What starts the command of a clone: it installs what is missing first. */
const DOOR = join("packages", "setup", "start.mjs");
const MARKS = [DOOR, join("packages", "cli", "evenbench.ts")];

const words = process.argv.slice(2);
const door = findDoor(process.cwd());
if (door === null) {
  const { main, surviveClosedPipes } = await import("@evenbench/cli");
  surviveClosedPipes();
  process.exitCode = await main(words);
} else {
  process.exitCode = await runClone(door);
}

/** In a clone or a fork, its own command has the word. */
async function runClone(file: string): Promise<number> {
  const child = spawn(process.execPath, [file, "bench", ...words], { stdio: "inherit" });
  // Ctrl-C reaches the child, too; it decides when and how to end.
  process.on("SIGINT", () => {}).on("SIGTERM", (signal) => child.kill(signal));
  const [code, signal] = (await once(child, "close")) as Ended;
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function findDoor(folder: string): string | null {
  if (MARKS.every((mark) => existsSync(join(folder, mark)))) return join(folder, DOOR);
  const parent = dirname(folder);
  return parent === folder ? null : findDoor(parent);
}
