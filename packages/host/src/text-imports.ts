import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** A file with one of these at its end is a module whose default export is its text. */
export const TEXT_ENDINGS: readonly string[] = [".css", ".csv", ".html", ".md", ".svg", ".txt"];

/** @param file a path, or what a `file:` URL has behind its scheme. */
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

/** Needs Node.js 22.15; an older one refuses such an import. */
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
