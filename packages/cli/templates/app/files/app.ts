import { fileURLToPath } from "node:url";
import { defineApp } from "@evenbench/core";
import { manifests } from "./src/cases.ts";

const dist = fileURLToPath(new URL("dist/", import.meta.url));
const PLATFORMS = ["cloudflare", "node", "vercel"];

export default defineApp({
  id: "template-app",
  title: "template-app",
  cases: async () => manifests,
  deployable: (platform) => (PLATFORMS.includes(platform) ? `${dist}${platform}` : null),
});
