import { join } from "node:path";
import * as z from "zod";
import type { OwnPackageJson } from "./own-app.ts";
import { readJsonAs } from "./user-file.ts";

/**
 * Reads the package.json of an app's own folder; null where it has none.
 *
 * @throws {UserFileError} in one line with the field, where it is none that npm would take.
 */
export function readPackageJson(folder: string): OwnPackageJson | null {
  return readJsonAs(join(folder, "package.json"), packageJson, WHAT);
}

/** The part of a package.json that counts for all members of its workspace. */
export type RootPackageJson = Pick<OwnPackageJson, "packageManager" | "devEngines" | "workspaces">;

/**
 * Reads that part alone of the package.json of a folder; null where it has none.
 *
 * @throws {UserFileError} in one line with the field, where npm would not take it.
 */
export function readRootPackageJson(folder: string): RootPackageJson | null {
  return readJsonAs(join(folder, "package.json"), rootPackageJson, WHAT);
}

/** Takes what npm says of versions of a package: one, or a list; null where it is neither. */
export function packageJsonsIn(content: unknown): readonly OwnPackageJson[] | null {
  return z.array(packageJson).safeParse([content].flat()).data ?? null;
}

const WHAT = "a package.json";

const text = z.string().exactOptional();
const texts = z.record(z.string(), z.string()).exactOptional();
/** npm takes any value of it. */
const versions = z.record(z.string(), z.string()).catch({}).exactOptional();
const patterns = z.array(z.string());
const engine = z.looseObject({ name: text, version: text });
const engines = z.union([engine, z.array(engine)]).exactOptional();
const workspace = z.looseObject({ packages: patterns.exactOptional() });

const ofRoot = {
  packageManager: text,
  devEngines: z.looseObject({ packageManager: engines, runtime: engines }).exactOptional(),
  workspaces: z.union([patterns, workspace.transform(({ packages = [] }) => packages)]).exactOptional(),
};
const rootPackageJson: z.ZodType<RootPackageJson> = z.looseObject(ofRoot);
const packageJson: z.ZodType<OwnPackageJson> = z.looseObject({
  ...ofRoot,
  name: text,
  type: text,
  main: text,
  scripts: texts,
  dependencies: texts,
  devDependencies: texts,
  peerDependencies: versions,
  engines: versions,
  volta: versions,
});
