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
