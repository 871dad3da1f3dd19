import { buildServer } from "@evenbench/bundle/deployable";
import packageJson from "./package.json" with { type: "json" };

const define = { SRVX_VERSION: JSON.stringify(packageJson.dependencies.srvx) };

/** Builds the deployable of the artifact for Node.js. */
export const buildDeployable = await buildServer(import.meta, { server: "src/entry.ts" }, define);
