import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };

const bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
const { devDependencies: versions } = packageJson;

const ADAPTERS = {
  cloudflare: "@astrojs/cloudflare",
  node: "@astrojs/node",
  vercel: "@astrojs/vercel",
} as const;

/** What a build runs with: the platform decides on the adapter, which `/identity` then names with its version. */
export function buildEnvironment(platform: keyof typeof ADAPTERS): Record<string, string> {
  const adapter = ADAPTERS[platform];
  return {
    NODE_ENV: "production",
    EVENBENCH_PLATFORM: platform,
    BUILT_WITH: `${adapter} ${versions[adapter]}`,
    ASTRO_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
    CI: "1",
    PATH: bin + delimiter + process.env.PATH,
  };
}

/** Removes what Astro and its adapters write into the app's folder. */
export async function clean(source: string): Promise<void> {
  const outputs = [".astro", ".vercel", ".wrangler", "dist/astro"];
  await Promise.all(outputs.map((output) => rm(join(source, output), { recursive: true, force: true })));
}
