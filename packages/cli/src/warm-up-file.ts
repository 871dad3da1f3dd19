import { homedir } from "node:os";
import { join } from "node:path";
import { IN_CLONE } from "@evenbench/core/called";
import { repositoryRoot } from "@evenbench/host/repository";

/** The package may lie in a folder that is made anew for each call, and a user's folder is not ours to fill. */
const CACHE = IN_CLONE
  ? join(repositoryRoot, "node_modules", ".cache")
  : process.env.XDG_CACHE_HOME || join(homedir(), ".cache");

/** Where what targets need to be warm is kept for all commands that measure; found again where it is not there. */
export const WARM_UP_FILE = join(CACHE, "evenbench", "warm-up.json");
