import { buildBundle, serverBuilder } from "@evenbench/bundle/deployable";

export const buildDeployable = serverBuilder({
  folder: import.meta.dirname,
  modules: { server: "src/server.ts", handler: "src/handler.mts" },
});

await buildBundle(import.meta, buildDeployable);
