import { buildBundle, serverBuilder } from "@evenbench/bundle/deployable";
import packageJson from "./package.json" with { type: "json" };

export const buildDeployable = serverBuilder({
  folder: import.meta.dirname,
  modules: { server: "src/entry.ts" },
  define: { SRVX_VERSION: JSON.stringify(packageJson.dependencies.srvx) },
});

await buildBundle(import.meta, buildDeployable);
