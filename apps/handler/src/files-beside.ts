import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readUserFileSync } from "@evenbench/core/user-file";
import type { Plugin } from "esbuild";

/** Name of the folder beside a bundle for the files that its modules read beside themselves. */
export const FILES_FOLDER = "files";

/** A file that a module names from its own place: `new URL("./a.wasm", import.meta.url)`. */
const BESIDE = /\bnew\s+URL\(\s*(["'])(\.{1,2}\/[^"'\n]+)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g;

/**
 * Makes the plugin that copies such files beside the bundle, and leads the modules to them, as Vercel's tracing of files
 * keeps them. A path that is made while the code runs is not seen.
 *
 * @param outfile absolute path of the bundle.
 */
export function filesBeside(outfile: string): Plugin {
  return {
    name: "files-beside",
    setup(bundler) {
      const copied = new Map<string, string>();
      bundler.onStart(() => copied.clear());
      bundler.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, ({ path }) => {
        const text = readUserFileSync(path);
        const contents = text.replace(BESIDE, (found, _quote, named: string) => {
          const file = resolve(dirname(path), named);
          if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
            return found;
          }
          const name = `${hash("sha256", file).slice(0, 8)}-${basename(file)}`;
          copied.set(file, name);
          return `new URL(${JSON.stringify(`./${FILES_FOLDER}/${name}`)}, import.meta.url)`;
        });
        return contents === text ? null : { contents, loader: "default" };
      });
      bundler.onEnd(async () => {
        const place = join(dirname(outfile), FILES_FOLDER);
        await mkdir(place, { recursive: true });
        await Promise.all([...copied].map(([file, name]) => cp(file, join(place, name))));
      });
    },
  };
}
