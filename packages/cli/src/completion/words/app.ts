import { discoverApps } from "@evenbench/host";
import { sayLeftOut } from "../../left-out.ts";

/** Ids of all apps. */
export default async (): Promise<readonly string[]> =>
  (await discoverApps(undefined, sayLeftOut)).map(({ id }) => id);
