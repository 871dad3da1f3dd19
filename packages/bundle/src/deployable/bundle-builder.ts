import { existsSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlatformId } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { build as esbuild } from "esbuild";
import { artifactDirectory } from "../index.ts";
import { type BundleBuild, recordBuild, unrecorded } from "./build.ts";

export type BundleBuilder = (build: BundleBuild) => Promise<void>;

/** What puts an artifact of handler cases on a platform: `buildDeployable` of its build.ts. */
export async function bundleBuilder(platform: PlatformId): Promise<BundleBuilder> {
  const file = join(repositoryRoot, "apps", platform, "build.ts");
  if (!existsSync(file)) throw new Error(`${file} is missing: it must export buildDeployable.`);
  const module: { buildDeployable: BundleBuilder } = await import(pathToFileURL(file).href);
  return module.buildDeployable;
}

/**
 * Where a platform's build.ts is the program: puts the artifact on that platform, in `dist/deployable` beside
 * it, and says by the exit code whether that succeeded.
 */
export async function buildBundle(
  { dirname, filename }: ImportMeta,
  buildDeployable: BundleBuilder,
): Promise<void> {
  if (process.argv[1] !== filename) return;
  const deployable = join(dirname, "dist/deployable");
  const task = { app: "bundle", platform: basename(dirname), deployable };
  const built = await recordBuild(task, (record) =>
    buildDeployable({ artifactDirectory, outDirectory: deployable, record }),
  );
  if (!built) process.exitCode = 1;
}

export interface ServerEntries {
  /** Of the platform: sources are named from there. */
  readonly folder: string;
  /**
   * Source of each module of the deployable, by its name without ".mjs". They import each other and
   * `./artifact/` as they are.
   */
  readonly modules: Readonly<Record<string, string>>;
  /** Expressions that stand for names in the source, as esbuild's `define` has them. */
  readonly define?: Readonly<Record<string, string>>;
}

/**
 * Builds deployables of runtimes that run a server as a program: its bundled modules, and the artifact's
 * files as they are in `artifact/`.
 */
export function serverBuilder({ folder, modules, define = {} }: ServerEntries): BundleBuilder {
  return ({ artifactDirectory, outDirectory, record = unrecorded }) =>
    record.step("bundle the entries", async () => {
      await rm(outDirectory, { recursive: true, force: true });
      await mkdir(outDirectory, { recursive: true });
      await cp(artifactDirectory, join(outDirectory, "artifact"), { recursive: true });
      await esbuild({
        absWorkingDir: folder,
        entryPoints: { ...modules },
        outdir: outDirectory,
        outExtension: { ".js": ".mjs" },
        bundle: true,
        external: ["./artifact/*", ...Object.keys(modules).map((name) => `./${name}.mjs`)],
        format: "esm",
        platform: "node",
        target: "node22",
        define: { ...define },
        logLevel: "warning",
      });
    });
}
