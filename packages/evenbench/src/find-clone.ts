import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** What starts the command of a clone: it installs what is missing first. */
const DOOR = join("packages", "setup", "start.mjs");
const MARKS = [DOOR, join("packages", "cli", "evenbench.ts")];

export function findDoor(folder: string): string | null {
  if (MARKS.every((mark) => existsSync(join(folder, mark)))) return join(folder, DOOR);
  const parent = dirname(folder);
  return parent === folder ? null : findDoor(parent);
}
