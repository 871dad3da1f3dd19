import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Source of a module whose default export is a file's text, as the build of the artifact makes it: UTF-8
 * without its byte order mark.
 */
export function textModule(file: string): string {
  return `export default ${JSON.stringify(new TextDecoder().decode(readFileSync(file)))};\n`;
}

/**
 * Lets this process import text files in modules that it loads from now on. Needs Node.js 22.15; an older one
 * refuses such an import.
 */
export function registerTextImports(): void {
  nodeModule.registerHooks?.({
    load(url, context, next) {
      if (!/^file:.*\.txt$/.test(url)) return next(url, context);
      return { format: "module", source: textModule(fileURLToPath(url)), shortCircuit: true };
    },
  });
}
