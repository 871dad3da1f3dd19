import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

/** A specifier with a scheme of its own, such as "bun:sqlite"; not those that name files or Node.js's modules. */
const RUNTIME_MODULE = /^(?!node:|file:|data:|https?:)[a-z-]{2,}:/;

/** Leaves imports of a runtime's own modules as they are: only that runtime runs the code that needs them. */
export const runtimeModules: Plugin = {
  name: "runtime-modules",
  setup(build) {
    build.onResolve({ filter: /:/ }, ({ path }) => {
      return RUNTIME_MODULE.test(path) ? { path, external: true } : undefined;
    });
  },
};

/**
 * Imports Node.js' modules by their "node:" names, and never by require(), which an ES module lacks: a required one is
 * a CommonJS module, made here, which requires an ES module that imports the real one.
 */
export const nodeModules: Plugin = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+[a-z0-9_/]*$/ }, ({ path, kind, namespace }) => {
      if (!isBuiltin(path)) {
        return undefined;
      }
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (kind !== "require-call") {
        return { path: name, external: true };
      }
      const isAskedByFirst = namespace === "required";
      return { path: name, namespace: isAskedByFirst ? "imported" : "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
      contents: `export { default } from ${JSON.stringify(path)};`,
    }));
  },
};
