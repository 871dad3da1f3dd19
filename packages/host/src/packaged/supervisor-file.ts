// Takes the place of ../supervisor-file.ts in the published package.
import { join } from "node:path";
import { repositoryRoot } from "./repository.ts";

export const SUPERVISOR = join(repositoryRoot, "supervisor.js");

/** There are no types to strip, and Node.js 20 does not know the flag. */
export const TYPE_STRIPPING: string[] = [];
