import { join } from "node:path";
import { build } from "esbuild";
import type { EmbeddedPlan } from "../script/embedded.ts";

const ENTRY = join(import.meta.dirname, "../script/main.ts");

/**
 * The one file that k6 runs: plan, orders and checks, by the code that the probe runs.
 *
 * @throws {Error} when our own sources cannot be bundled.
 */
export function bundleScript(plan: EmbeddedPlan): Promise<string> {
  return bundleForK6(ENTRY, plan);
}

/**
 * One file for k6.
 *
 * @param entry absolute path of the module that k6 is to run.
 * @throws {Error} when our own sources cannot be bundled.
 */
export async function bundleForK6(entry: string, plan: object): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
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
