import { buildServer } from "@evenbench/bundle/deployable";

/** Builds the deployable of the artifact for Deno. */
export const buildDeployable = await buildServer(import.meta);
