import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** Endings of files that are imported as modules whose default export is their text. */
export const TEXT_ENDINGS: readonly string[] = [".css", ".csv", ".html", ".md", ".svg", ".txt"];

/** Tells whether a file is imported as its text. @param file a path, or a `file:` URL without its scheme. */
export function isTextFile(file: string): boolean {
  return TEXT_ENDINGS.includes(extname(file));
}

/**
 * Makes the source of a module whose default export is a file's text, as the build of the artifact makes it:
 * UTF-8 without its byte order mark.
 */
export function textModule(file: string): string {
  return `export default ${JSON.stringify(new TextDecoder().decode(readFileSync(file)))};\n`;
}

/** Makes this process import such files as their text. Node.js before 22.15 refuses these imports all the same. */
export function registerTextImports(): void {
  nodeModule.registerHooks?.({
    load(url, context, next) {
      if (!url.startsWith("file:") || !isTextFile(url)) {
        return next(url, context);
      }
      return { format: "module", source: textModule(fileURLToPath(url)), shortCircuit: true };
    },
  });
}
