import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlatformId } from "@evenbench/core";
import packageJson from "../package.json" with { type: "json" };

const bin = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
const { devDependencies: versions } = packageJson;

/** What a build runs with: the platform decides on the adapter, which `/identity` then names with its version. */
export function buildEnvironment(platform: PlatformId & keyof typeof ADAPTERS): Record<string, string> {
  const adapter = ADAPTERS[platform];
  return {
    NODE_ENV: "production",
    EVENBENCH_PLATFORM: platform,
    BUILT_WITH: `${adapter} ${versions[adapter]}`,
    PATH: bin + delimiter + process.env.PATH,
  };
}

const ADAPTERS = {
  cloudflare: "@sveltejs/adapter-cloudflare",
  node: "@sveltejs/adapter-node",
  vercel: "@sveltejs/adapter-vercel",
} as const;

/** Removes what SvelteKit and its adapters write into the app's folder. */
export async function clean(source: string): Promise<void> {
  const outputs = [".svelte-kit", ".vercel", "dist/server"];
  await Promise.all(outputs.map((output) => rm(join(source, output), { recursive: true, force: true })));
}
