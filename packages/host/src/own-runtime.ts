import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryRoot } from "#repository";
import { HostError } from "./loopback.ts";

/** A runtime that is installed only where somebody asks for it: `runtime/` of its platform's folder pins it. */
export interface OwnRuntime {
  /** As `missing` of a platform. */
  missing(): string | null;
  /** Absolute path of its program. @throws {HostError} with the words of `missing` where it is not installed. */
  program(): string;
}

/** Finds a runtime in a folder with a package.json and a lock file of its own. */
export function ownRuntime(title: string, folder: string, file: string): OwnRuntime {
  const find = () => packagesOf(folder).map((name) => join(folder, "node_modules", name, file));
  const installed = () => find().find((path) => existsSync(path));
  const words = () =>
    `${title} is not installed: it is off by default, and so no part of the set-up. ` +
    `Install it with: npx pnpm -C ${relative(repositoryRoot, folder)} install`;
  return {
    missing: () => (installed() === undefined ? words() : null),
    program() {
      const path = installed();
      if (path === undefined) throw new HostError(words());
      return path;
    },
  };
}

/** The program of a deployable that is run as one. */
export function serverOf(deployable: string): string {
  const server = join(deployable, "server.mjs");
  if (existsSync(server)) return server;
  throw new HostError(`There is no server.mjs in ${deployable}. Build it with \`npm run build\`.`);
}

function packagesOf(folder: string): readonly string[] {
  const manifest: { optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return Object.keys(manifest.optionalDependencies);
}
