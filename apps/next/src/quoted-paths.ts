// `node --import`: OpenNext writes absolute paths between single quotes into code, and a clone's path may have one
// ("Tim's bench"). Its modules that do are loaded with quotes that hold.
import { registerHooks } from "node:module";

const PATCHES = /\/@opennextjs\/cloudflare\/dist\/cli\/build\/patches\/plugins\/[\w-]+\.js$/;
const QUOTED_PATH = /'\$\{(normalizePath\(handlerPath\)|builtInstrumentationPath)\}'/g;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!PATCHES.test(url)) {
      return loaded;
    }
    const source = new TextDecoder().decode(sourceBytes(loaded.source));
    return { ...loaded, source: source.replace(QUOTED_PATH, "$${JSON.stringify($1)}") };
  },
});

function sourceBytes(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): Uint8Array {
  return typeof source === "string" || source === undefined
    ? Buffer.from(source ?? "")
    : new Uint8Array(source as ArrayBuffer);
}
