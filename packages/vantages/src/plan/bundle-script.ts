import { join } from "node:path";
import { build } from "esbuild";
import type { EmbeddedPlan } from "../script/embedded.ts";

const ENTRY = join(import.meta.dirname, "../script/main.ts");

/**
 * The one file that k6 runs: plan, orders and checks, by the code that the probe runs.
 *
 * @throws {Error} when our own sources cannot be bundled.
 */
export async function bundleScript(plan: EmbeddedPlan): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: "esm",
    // Modules of k6 itself: they exist only inside of it.
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
