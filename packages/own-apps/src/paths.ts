import { isAbsolute, relative } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";

/** Tells whether an absolute path is a folder, or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === "" || !(below === ".." || slashed(below).startsWith("../") || isAbsolute(below));
}
