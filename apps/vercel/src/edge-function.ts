import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { VercelFunction } from "./build-output.ts";
import type { WebHandler } from "./web-handler.ts";

/**
 * Modules of Node.js that functions of the edge runtime may import: "Edge Runtime: Compatible Node.js modules" of
 * Vercel's documentation.
 */
const NODE_MODULES = ["async_hooks", "buffer", "assert", "events", "util"];

/** A module of CommonJS. */
interface EdgeModule {
  exports: { readonly default?: unknown };
}

/**
 * Loads a function of the edge runtime into the runtime that Vercel publishes (`@edge-runtime/vm`): a context of its
 * own in this process, with the globals of the web alone.
 *
 * @throws {Error} where the function's module has no default export.
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
  const { context } = new EdgeVM({
    extend: (globals) => Object.assign(globals, { process: { env }, AsyncLocalStorage, Buffer }),
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

/** Reads a module as CommonJS: contexts of `node:vm` take modules of ECMAScript only behind a flag. */
async function commonJsOf(file: string): Promise<string> {
  const source = await readFile(file, "utf8");
  if (isScript(source)) {
    return source;
  }
  const { buildSync } = await import("esbuild");
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "cjs",
    target: "esnext",
    external: NODE_MODULES.flatMap((name) => [name, `node:${name}`]),
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** Tells whether a text is a script, and no module of ECMAScript. */
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
