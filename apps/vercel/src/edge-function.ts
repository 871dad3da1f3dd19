import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import type { Plugin } from "esbuild";
import type { VercelFunction } from "./build-output.ts";
import type { WebHandler } from "./web-handler.ts";

/**
 * Modules of Node.js that edge functions may import ("Edge Runtime: Compatible Node.js modules" of Vercel's
 * documentation).
 */
const NODE_MODULES = ["async_hooks", "buffer", "assert", "events", "util"];

interface EdgeModule {
  exports: { readonly default?: unknown };
}

/**
 * Loads an edge function into Vercel's runtime (`@edge-runtime/vm`): a context with the web's globals alone.
 *
 * @throws {Error} where its module has no default export.
 */
export async function loadEdgeFunction({
  directory,
  module: name,
  configuration,
}: VercelFunction): Promise<WebHandler> {
  // Few builds have one, and the others start sooner without it.
  const { EdgeVM } = await import("@edge-runtime/vm");
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const { Buffer } = await import("node:buffer");
  const env = { ...process.env, ...configuration.environment };
  const webAssembly = await webAssemblyOf(directory);
  const { context } = new EdgeVM({
    extend: (globals) =>
      Object.assign(globals, { process: { env }, AsyncLocalStorage, Buffer, ...webAssembly }),
  });
  const file = join(directory, name);
  const source = await commonJsOf(file);
  const script = new Script(`(function (module, exports, require) {${source}\n})`, { filename: file });
  const module: EdgeModule = { exports: {} };
  script.runInContext(context)(module, module.exports, requireForEdge);
  const handler = module.exports.default ?? module.exports;
  if (typeof handler !== "function") {
    throw new Error(`${file} exports no function by default.`);
  }
  return { handle: handler as WebHandler["handle"], Request: context.Request };
}

/** Compiles the WebAssembly of a function's folder `wasm`: each module is a global by its file's name, as Next.js has it. */
async function webAssemblyOf(directory: string): Promise<Readonly<Record<string, WebAssembly.Module>>> {
  const folder = join(directory, "wasm");
  const files = existsSync(folder) ? await readdir(folder) : [];
  const modules = files.map(async (file) => {
    const module = await WebAssembly.compile(await readFile(join(folder, file)));
    return [basename(file, ".wasm"), module] as const;
  });
  return Object.fromEntries(await Promise.all(modules));
}

/** Reads a module as CommonJS: contexts of `node:vm` take modules of ECMAScript only behind a flag. */
async function commonJsOf(file: string): Promise<string> {
  const source = await readFile(file, "utf8");
  if (isScript(source) && !IMPORTS_COMPILED.test(source)) {
    return source;
  }
  const { build, stop } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "cjs",
    target: "esnext",
    external: NODE_MODULES.flatMap((name) => [name, `node:${name}`]),
    loader: { ".wasm": "binary" },
    plugins: [WEB_ASSEMBLY_MODULES],
    logLevel: "silent",
  }).finally(stop);
  return outputFiles[0]?.text ?? "";
}

/** The import of a module of WebAssembly. */
const IMPORTS_COMPILED = /\.wasm\?module["']/;

/** Gives an import of "./add.wasm?module" what the platform gives it: a compiled module. */
const WEB_ASSEMBLY_MODULES: Plugin = {
  name: "web-assembly",
  setup(bundler) {
    bundler.onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({
      path: path.replace(/\?module$/, ""),
      namespace: "compiled",
      pluginData: resolveDir,
    }));
    bundler.onLoad({ filter: /.*/, namespace: "compiled" }, ({ path, pluginData }) => ({
      contents: `import bytes from ${JSON.stringify(path)};\nexport default new WebAssembly.Module(bytes);\n`,
      resolveDir: pluginData,
    }));
  },
};

function isScript(source: string): boolean {
  try {
    new Script(`(function () {${source}\n})`);
    return true;
  } catch {
    return false;
  }
}

const requireHere = createRequire(import.meta.url);

/** Gives a module of Node.js that the edge runtime has. @throws {Error} for any other. */
function requireForEdge(name: string): unknown {
  if (!NODE_MODULES.includes(name.replace(/^node:/, ""))) {
    throw new Error(`The edge runtime has no module "${name}".`);
  }
  return requireHere(name);
}
