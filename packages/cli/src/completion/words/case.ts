import { listTargets } from "@evenbench/runner";
import { casesInSources } from "../../cases.ts";
import { sayLeftOut } from "../../left-out.ts";

/** Ids of all cases. */
export default async (): Promise<readonly string[]> => casesInSources(await listTargets(sayLeftOut));
