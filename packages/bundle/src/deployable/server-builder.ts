import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { unrecorded } from "./build.ts";
import type { BundleBuilder } from "./bundle-builder.ts";

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
