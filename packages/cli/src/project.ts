import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const projectRoot = fileURLToPath(new URL("../../..", import.meta.url));
