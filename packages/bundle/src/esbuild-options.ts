import { isBuiltin } from "node:module";
import type { BuildOptions as EsbuildOptions, Plugin } from "esbuild";

/**
 * What every module of the artifact is built with. Platform "neutral": packages resolve to the same build for
 * all platforms. React's modules choose their build by NODE_ENV, so that is defined; null leaves it alone.
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
    // A runtime's own modules, for cases whose subject one of them is; imported where that runtime runs them.
    external: ["cloudflare:*"],
    plugins: [nodeModules],
    logLevel: "silent",
    write: true,
  };
}

/**
 * Leaves Node.js's own modules to the runtime, always under their "node:" name, which is the one that Workers
 * know. An ES module has no require(), so they get the default export of an import.
 */
const nodeModules: Plugin = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+[a-z0-9_/]*$/ }, ({ path, kind, namespace }) => {
      if (!isBuiltin(path)) return undefined;
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (kind !== "require-call") return { path: name, external: true };
      return { path: name, namespace: namespace === "required" ? "imported" : "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
      contents: `export { default } from ${JSON.stringify(path)};`,
    }));
  },
};
