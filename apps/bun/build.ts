import { buildBundle, serverBuilder } from "@evenbench/bundle/deployable";

/** `server.mjs` listens, `handler.mjs` answers. */
export const buildDeployable = serverBuilder({
  folder: import.meta.dirname,
  modules: { server: "src/server.ts", handler: "src/handler.mts" },
});

await buildBundle(import.meta, buildDeployable);
