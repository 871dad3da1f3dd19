import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@evenbench/core";
import { TEXT_ENDINGS } from "@evenbench/host";
import type { BuildOptions } from "esbuild";
import { readJson } from "./manifest.ts";
import { nodeModules, runtimeModules } from "./runtime-modules.ts";

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
