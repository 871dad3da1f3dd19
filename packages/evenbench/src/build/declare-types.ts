import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@evenbench/host/repository";

/** What the programming interface is declared in. It imports nothing else: packages/evenbench/src/types.ts says why. */
const FILES = ["index.d.ts", "types.d.ts"];

/** Writes the types of the programming interface beside its code. */
export async function declareTypes(dist: string): Promise<void> {
  const made = await mkdtemp(join(dist, "types-"));
  const packages = join(repositoryRoot, "packages");
  const source = join(packages, "evenbench");
  const options = ["--declaration", "--emitDeclarationOnly", "--noEmit", "false"];
  const tsc = join(repositoryRoot, "node_modules/.bin/tsc");
  const folders = ["--rootDir", packages, "--outDir", made];
  await promisify(execFile)(tsc, ["--project", join(source, "tsconfig.json"), ...options, ...folders]);
  for (const file of FILES) await copyFile(join(made, "evenbench/src", file), join(dist, file));
  await rm(made, { recursive: true });
}
