import { join } from "node:path";
import { build } from "esbuild";
import type { EmbeddedRate } from "./script/rate.ts";

/** Bundles the script that sends the stages of a plan. The same plan gives the same text. */
export function bundleRateScript(plan: EmbeddedRate): Promise<string> {
  return bundleScript(join(import.meta.dirname, "script/rate.ts"), plan);
}

/**
 * Bundles a script for k6 with its plan inside of it, which the script reads as `EVENBENCH_PLAN`.
 *
 * @param entry the path of the script.
 * @param plan a value that JSON can hold.
 */
export async function bundleScript(entry: string, plan: object): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    external: ["k6", "k6/*"],
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "none",
    minifySyntax: true,
    minifyWhitespace: true,
    define: { EVENBENCH_PLAN: JSON.stringify(plan) },
  });
  return outputFiles[0]?.text ?? "";
}
