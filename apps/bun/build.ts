import { buildServer } from "@evenbench/bundle/deployable";

export const buildDeployable = await buildServer(import.meta);
