import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository, with a slash at its end. */
export const repositoryRoot: string = fileURLToPath(new URL("../../..", import.meta.url));

const manifest = readFileSync(join(repositoryRoot, "package.json"), "utf8");
/** Evenbench's own version. */
export const { version }: { readonly version: string } = JSON.parse(manifest);

/** The ending of a module's name. */
export const MODULE_ENDING = ".ts";

/**
 * Gives the absolute path of a module of the repository that is not imported: a program, or what is bundled into an
 * app.
 *
 * @param path from the root on, without an ending, such as "apps/node/src/primary".
 */
export function moduleFile(path: string): string {
  return join(repositoryRoot, path + MODULE_ENDING);
}

/** The program of a supervisor. */
export const SUPERVISOR: string = fileURLToPath(new URL("supervisor.ts", import.meta.url));

/** Flags by which Node.js runs TypeScript. Versions 22.12 to 22.17 need them; newer ones take them and do nothing. */
export const TYPE_STRIPPING: readonly string[] = [
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
];
