import { readFileSync } from "node:fs";
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

/** As the build of the artifact makes it: UTF-8 without its byte order mark. */
export function textModule(file: string): string {
  return `export default ${JSON.stringify(new TextDecoder().decode(readFileSync(file)))};\n`;
}

/** Needs Node.js 22.15; an older one refuses such an import. */
export function registerTextImports(): void {
  nodeModule.registerHooks?.({
    load(url, context, next) {
      if (!/^file:.*\.txt$/.test(url)) return next(url, context);
      return { format: "module", source: textModule(fileURLToPath(url)), shortCircuit: true };
    },
  });
}
