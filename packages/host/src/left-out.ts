import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "./loopback.ts";

/** A platform or an app that cannot be loaded. */
export interface LeftOut {
  /** Of its file, relative to the repository's root. */
  readonly path: string;
  /** In one line. */
  readonly reason: string;
}

/** Told of each platform and each app that cannot be loaded. */
export type LeaveOut = (one: LeftOut) => void;

/** A definition that was loaded and is none. Its message is the reason. */
export class LeftOutError extends Error {}

/** @throws {HostError} */
export const refuse: LeaveOut = ({ path, reason }) => {
  throw new HostError(`${path} cannot be loaded: ${reason}`);
};

/** Why a module cannot be loaded, in one line. */
export function whyNotLoaded(error: unknown): string {
  if (error instanceof LeftOutError) return error.message;
  const [, name, importer] = MISSING_PACKAGE.exec(String((error as Error | null)?.message)) ?? [];
  if (name !== undefined && importer !== undefined) return whyMissing(name, importer);
  return `its top level threw: ${String(error).replace(/\s+/g, " ").slice(0, 300)}`;
}

/** The words of Node.js, which has no fields for them. A name that is a path is no package that was asked for. */
const MISSING_PACKAGE = /^Cannot find package '((?:@[^/\\']+\/)?[^/\\']+)' imported from ([^\n]+)/;

/** Installing brings only what a package.json names. */
function whyMissing(name: string, importer: string): string {
  const manifest = nearestManifest(dirname(importer));
  return manifest !== null && namesPackage(manifest, name)
    ? `its package "${name}" is not installed. Install what it needs: \`npx pnpm install\``
    : `${importer} imports the package "${name}", which ${manifest ?? "no package.json"} does not name`;
}

function nearestManifest(folder: string): string | null {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) return manifest;
  return dirname(folder) === folder ? null : nearestManifest(dirname(folder));
}

function namesPackage(manifest: string, name: string): boolean {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
  return name in { ...dependencies, ...devDependencies, ...optionalDependencies };
}
