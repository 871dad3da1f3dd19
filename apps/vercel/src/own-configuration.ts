import { join } from "node:path";
import { type OwnAppRead, parseJson, UserError } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";

/** Name of Vercel's configuration of a project. */
const FILE = "vercel.json";

/** Why parts of it do not count where Vercel's CLI does not build the app. */
const NOT_HERE = "only Vercel's own build applies it";

/** Keys that say nothing of how the app answers. */
const OF_EDITORS = ["$schema"];

/**
 * Reads the vercel.json of an app that is built without Vercel's CLI, which would apply it.
 *
 * @returns null where there is none.
 * @throws {UserError} where it is no JSON object.
 */
export function readVercelConfiguration(folder: string): OwnAppRead | null {
  const path = join(folder, FILE);
  const text = readIfThere(path);
  if (text === null) {
    return null;
  }
  const content = parseJson(text);
  if (typeof content !== "object" || content === null) {
    throw new UserError(`${path} is no JSON object. Correct it, and start again.`);
  }
  const keys = Object.keys(content).filter((key) => !OF_EDITORS.includes(key));
  return { file: FILE, applied: [], notApplied: keys.map((what) => ({ what, why: NOT_HERE })) };
}
