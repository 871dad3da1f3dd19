import { build } from "esbuild";

export interface FrontOptions {
  /**
   * Absolute path of a module that imports what it stands in front of as "#behind/..."; the rest of the name
   * is for its type.
   */
  readonly source: string;
  readonly outfile: string;
  /** What that is, relative to the written file: "./worker.js". It stays a module of its own, as it was built. */
  readonly behind: string;
}

/** Bundles a small module that stands in front of what an app's build made, and leaves that as it is. */
export async function putInFront({ source, outfile, behind }: FrontOptions): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    target: "es2024",
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      {
        name: "behind",
        setup(pluginBuild) {
          pluginBuild.onResolve({ filter: /^#behind\// }, () => ({ path: behind, external: true }));
        },
      },
    ],
  });
}
