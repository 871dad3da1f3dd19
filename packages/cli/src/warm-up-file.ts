import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";

/** Where what targets need to be warm is kept for all commands that measure; found again where it is not there. */
export const WARM_UP_FILE = join(repositoryRoot, "node_modules", ".cache", "evenbench", "warm-up.json");
