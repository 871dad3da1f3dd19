import { buildServer } from "@evenbench/bundle/deployable";

const modules = { server: "src/server.ts", handler: "src/handler.mts" };

export const buildDeployable = await buildServer(import.meta, modules);
