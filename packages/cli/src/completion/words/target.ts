import { listTargets } from "@evenbench/runner";
import { sayLeftOut } from "../../left-out.ts";

/** Names of all local targets, those that are off included. */
export default async (): Promise<readonly string[]> =>
  (await listTargets(sayLeftOut)).map((target) => target.name);
