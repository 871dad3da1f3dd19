import { buildBundle, serverBuilder } from "@evenbench/bundle/deployable";
import packageJson from "./package.json" with { type: "json" };

/** `server.mjs` listens, `handler.mjs` answers. */
export const buildDeployable = serverBuilder({
  folder: import.meta.dirname,
  modules: { server: "src/server.ts", handler: "src/handler.mts" },
  define: { "process.env.ADAPTER": JSON.stringify(`srvx ${packageJson.dependencies.srvx}`) },
});

await buildBundle(import.meta, buildDeployable);
