import { rename } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Puts the guard in front of a built module whose default export answers with a web-standard `fetch`.
 * Whatever server imports it, on whichever runtime, then serves only callers with the token.
 */
export async function closeHandler(file: string): Promise<void> {
  const behind = file.replace(/\.mjs$/, ".open.mjs");
  await rename(file, behind);
  const source = fileURLToPath(new URL("handler-front.ts", import.meta.url));
  await putInFront({ source, outfile: file, behind: `./${basename(behind)}` });
}

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
