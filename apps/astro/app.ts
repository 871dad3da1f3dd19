import { fileURLToPath } from "node:url";
import { defineApp } from "@evenbench/core";
import { develop } from "./build/develop.ts";
import { manifests } from "./src/lib/cases.ts";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const PLATFORMS = ["cloudflare", "node", "vercel"];

export default defineApp({
  id: "astro",
  title: "Astro",
  cases: async () => manifests,
  deployable: (platform) => (PLATFORMS.includes(platform) ? `${dist}${platform}` : null),
  develop,
});
