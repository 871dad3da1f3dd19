import { buildServer } from "@evenbench/bundle/deployable";

/** Builds the deployable of the artifact for Bun. */
export const buildDeployable = await buildServer(import.meta);
