import { isBuiltin } from "node:module";
import type { BuildOptions as EsbuildOptions, Plugin } from "esbuild";

/**
 * What every module of the artifact is built with. Platform "neutral": packages resolve to the same build for all
 * three platforms instead of one for each. React's modules choose their build by NODE_ENV, so that is defined.
 *
 * @param nodeEnv null leaves NODE_ENV alone, as a bundler does that was not told.
 */
export function esbuildOptions(root: string, nodeEnv: string | null): EsbuildOptions {
  return {
    // Comments name source files relative to this folder; anything absolute would change the digest by checkout.
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["module"],
    target: "es2024",
    charset: "utf8",
    jsx: "automatic",
    // The nearest tsconfig.json must not decide what the artifact is.
    tsconfigRaw: {},
    define: nodeEnv === null ? {} : { "process.env.NODE_ENV": JSON.stringify(nodeEnv) },
    plugins: [nodeModules],
    logLevel: "silent",
    write: true,
  };
}

/**
 * Leaves Node.js's own modules to the runtime, always under their "node:" name, which is the one that Workers
 * know. CommonJS packages require() them; an ES module has no require, so they get an import.
 */
const nodeModules: Plugin = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+[a-z0-9_/]*$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      const name = path.startsWith("node:") ? path : `node:${path}`;
      return kind === "require-call"
        ? { path: name, namespace: "required-node-module" }
        : { path: name, external: true };
    });
    build.onLoad({ filter: /.*/, namespace: "required-node-module" }, ({ path }) => ({
      contents: `import * as all from ${JSON.stringify(path)}; export { all as "module.exports" };`,
    }));
  },
};
