import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@evenbench/core";
import { TEXT_ENDINGS } from "@evenbench/host";
import type { BuildOptions, Plugin } from "esbuild";
import { readJson } from "./manifest.ts";
import { runtimeModules } from "./runtime-modules.ts";

/** Absolute path of the repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Gives the options of every module of the artifact. */
export function esbuildOptions(nodeEnv: string | null): BuildOptions {
  return {
    // Comments name source files: absolute ones would change the digest by checkout.
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["module"],
    target: "es2024",
    charset: "utf8",
    jsx: "automatic",
    loader: Object.fromEntries(TEXT_ENDINGS.map((ending) => [ending, "text" as const])),
    // The nearest tsconfig.json must not decide what the artifact is.
    tsconfigRaw: {},
    define: nodeEnv === null ? {} : { "process.env.NODE_ENV": JSON.stringify(nodeEnv) },
    plugins: [runtimeModules, nodeModules],
    logLevel: "silent",
  };
}

/**
 * Imports Node.js' modules by their "node:" names, which all runtimes know, and never by require(), which an ES
 * module lacks. A module that is required is answered by two made ones: the namespace "required" has a CommonJS
 * module, and that requires its content from the namespace "imported", an ES module that imports the real one.
 */
const nodeModules: Plugin = {
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

/**
 * Reads which package the JSX of a case calls, from the tsconfig.json beside it: one setting, because a type
 * checker and an editor read it there. Empty where the file names none: then it is React.
 *
 * @throws {Error} where that file is no JSON.
 */
export async function jsxOf(folder: string): Promise<Pick<BuildOptions, "jsxImportSource">> {
  const file = join(folder, "tsconfig.json");
  let source: unknown;
  try {
    const settings = await readJson<{ readonly compilerOptions?: { readonly jsxImportSource?: unknown } }>(
      file,
    );
    source = settings?.compilerOptions?.jsxImportSource;
  } catch (error) {
    throw new Error(`${relative(root, file)} is read as JSON without comments: ${messageOf(error)}`);
  }
  return typeof source === "string" ? { jsxImportSource: source } : {};
}
